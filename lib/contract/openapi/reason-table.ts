import { reasons } from "../../domain/scores/reason-codes.ts";

const again: Readonly<Record<(typeof reasons)[keyof typeof reasons]["again"], string>> = {
  never: "no",
  once: "once",
  later: "once, then for a day until the provider is back",
};

const rows = Object.entries(reasons).map(
  ([code, reason]) => `| \`${code}\` | ${reason.words}. | ${again[reason.again]} |`,
);

/** Every reason for which a metric has no value, as text with a table. */
export const reasonTable = [
  "Why a metric of a target has no value is told by a stable code: the `reason` of the run's target, and `code` in the metadata of a FAILED score.",
  ["| code | why | tried again |", "|---|---|---|", ...rows].join("\n"),
].join("\n\n");
