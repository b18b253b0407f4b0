import type { Trace } from "../domain/traces/trace.ts";
import type { JudgedMetric } from "./metric.ts";
import type { Verdict } from "./verdict/verdict.ts";

/** A metric that tests a trace against fixed conditions: it calls no model and costs nothing. */
export interface CheckMetric extends Pick<JudgedMetric, "name" | "description" | "category" | "threshold"> {
  readonly method: "check";
  /** Computes the verdict on a trace. @param traceVersion version of the trace's stored row. */
  readonly verdict: (trace: Trace, traceVersion: number) => Verdict;
}
