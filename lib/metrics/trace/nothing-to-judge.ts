import { saysSomething } from "../../domain/says-something.ts";
import { inapplicable, type InapplicableCode } from "../../domain/scores/inapplicable.ts";
import type { Trace } from "../../domain/traces/trace.ts";
import type { InapplicableScore } from "../../judge/metric/metric.ts";
import { toolCalls } from "./tool-calls.ts";
import { definesTools } from "./tool-schemas.ts";

type Applicability = (material: { readonly trace: Trace }) => InapplicableScore | null;

/** @param value number of the score, which no statistic counts. */
const unless =
  (holds: (trace: Trace) => boolean, code: InapplicableCode, value: 0 | 1): Applicability =>
  ({ trace }) =>
    holds(trace) ? null : { value, inapplicable: code, reason: `Does not apply: ${inapplicable[code]}.`, details: {} };

/** True if a span shows what its agent did: a call, a result or an error. */
const showsStep = ({ kind, status, error, output }: Trace["spans"][number]): boolean =>
  kind === "TOOL" || kind === "RETRIEVER" || status === "ERROR" || saysSomething(error) || saysSomething(output);

/** Returns the score of a trace in which the agent did nothing, else null: no output, no step, no error. */
export const unlessWorkIsShown = unless(
  ({ status, output, spans }) => status === "ERROR" || saysSomething(output) || spans.some(showsStep),
  "empty_output",
  0,
);

/** Returns the score of a trace without any step that could be needless, else null. */
export const unlessStepsAreShown = unless(
  (trace) => trace.spans.some(showsStep) || toolCalls(trace).length > 0,
  "no_spans",
  1,
);

/** Returns the score of a trace that shows no tool, neither called nor offered to a model, else null. */
export const unlessToolsAreShown = unless(
  (trace) => toolCalls(trace).length > 0 || definesTools(trace),
  "no_tool_calls",
  1,
);
