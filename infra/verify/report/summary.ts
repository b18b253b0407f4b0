import type { Verdict } from "../check.ts";
import type { Finding } from "./findings-table.ts";

/** Reason why the checks ended early; null when all checks ran. */
export type EndReason = "interrupted" | "out of time" | null;

const countOf = (findings: readonly Finding[], verdict: Verdict): number =>
  findings.filter((finding) => finding.verdict === verdict).length;

/** Formats the last line of the report: counts of verdicts, and the duration. */
export const summary = (findings: readonly Finding[], endReason: EndReason, seconds: number): string => {
  const [passed, failed, skipped] = (["passed", "failed", "skipped"] as const).map((verdict) =>
    countOf(findings, verdict),
  );
  const endText = endReason === null ? "" : ` Ended early: ${endReason}.`;
  return `${passed} passed, ${failed} failed, ${skipped} skipped; ${Math.round(seconds)} s.${endText}`;
};

/** Computes the exit code: 0 if no check failed, 1 if a check failed or the time was up, 130 after Ctrl-C. */
export const exitCodeOf = (findings: readonly Finding[], endReason: EndReason): number => {
  if (endReason === "interrupted") return 130;
  return endReason === null && countOf(findings, "failed") === 0 ? 0 : 1;
};
