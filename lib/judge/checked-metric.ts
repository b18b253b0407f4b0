import type { Trace } from "../domain/traces/trace.ts";
import type { JudgedMetric } from "./metric.ts";
import type { Verdict } from "./verdict/verdict.ts";

/** A metric that looks at conditions: nobody is asked, and nothing is spent. */
export interface CheckedMetric extends Pick<JudgedMetric, "name" | "description" | "category" | "threshold"> {
  readonly method: "check";
  /** @param traceVersion of the trace's row. */
  readonly verdict: (trace: Trace, traceVersion: number) => Verdict;
}
