import { reasons } from "../../domain/scores/reason-codes.ts";

const retryTexts: Readonly<Record<(typeof reasons)[keyof typeof reasons]["retry"], string>> = {
  never: "no",
  once: "once",
  later: "once, then for a day until the provider is back",
};

const rows = Object.entries(reasons).map(
  ([code, reason]) => `| \`${code}\` | ${reason.message}. | ${retryTexts[reason.retry]} |`,
);

/** Markdown text with a table of all reasons for which a metric can have no value. */
export const reasonTable = [
  "A stable code tells why a metric of a target has no value: `reason` of the run's target, and `code` in the metadata of a FAILED score.",
  ["| code | reason | retried |", "|---|---|---|", ...rows].join("\n"),
].join("\n\n");
