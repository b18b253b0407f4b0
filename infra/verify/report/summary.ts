import type { Verdict } from "../question.ts";
import type { Finding } from "./findings-table.ts";

/** Why the questions ended before their end; null when they did not. */
export type Ended = "interrupted" | "out of time" | null;

const countOf = (findings: readonly Finding[], verdict: Verdict): number =>
  findings.filter((finding) => finding.verdict === verdict).length;

/** The report's last line. */
export const summary = (findings: readonly Finding[], ended: Ended, seconds: number): string => {
  const [good, bad, open] = (["holds", "does not hold", "could not be asked"] as const).map((verdict) =>
    countOf(findings, verdict),
  );
  const stopped = ended === null ? "" : ` Ended before everything was asked: ${ended}.`;
  return `${good} hold, ${bad} ${bad === 1 ? "does" : "do"} not, ${open} could not be asked; ${Math.round(seconds)} s.${stopped}`;
};

/** 0 only when everything that was asked holds; 130 after Ctrl-C. */
export const exitCodeOf = (findings: readonly Finding[], ended: Ended): number => {
  if (ended === "interrupted") return 130;
  return ended === null && countOf(findings, "does not hold") === 0 ? 0 : 1;
};
