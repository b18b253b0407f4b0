import { parse } from "valibot";
import type { Trace } from "../../../lib/domain/traces/trace.ts";
import type { Extraction, Material } from "../../../lib/judge/metric/metric.ts";
import { trace } from "../judge/fixtures.ts";

/** Input of a metric: a small trace with some fields replaced, and the answers of extractions by name. */
export const material = (
  fields: Partial<Trace> = {},
  answers: Readonly<Record<string, unknown>> = {},
  earlier: readonly Trace[] = [],
  earlierOmitted = 0,
): Material => ({
  trace: trace(fields),
  earlierTraces: earlier,
  omittedTraceCount: earlierOmitted,
  extractedAnswer: ({ name, answer }: Extraction) => parse(answer, answers[name]),
});
