import { isObject, presentEntries, type Json } from "../json.ts";
import { logEventsOf } from "./log-events.ts";
import type { IdentifiedSpan } from "./input.ts";

/** Metadata key of a span for the id of its tool or model call. */
export const callIdKey = "otel.call_id";

/** Metadata key of a span that is a part of a call, such as the execution of a tool: the id of the call. */
export const callPartKey = "otel.part_of_call";

type CallPart = Partial<Pick<IdentifiedSpan, "input" | "output" | "error" | "cost">>;

/** True if a span is completed by log events or parts of its call, or has events or is a part that completes others. */
export const sharesCalls = ({ metadata = {} }: Pick<IdentifiedSpan, "metadata">): boolean =>
  metadata[callIdKey] !== undefined ||
  metadata[callPartKey] !== undefined ||
  logEventsOf({ metadata }).some(({ call }) => call !== undefined);

/**
 * Returns what a span's log events tell of calls. An answer without the id of its call belongs to the model call that was reported
 * last before it.
 */
const callsInEvents = (span: Pick<IdentifiedSpan, "metadata">): readonly (readonly [id: string, part: CallPart])[] => {
  let modelCall: string | null = null;
  return logEventsOf(span).flatMap(({ call, output }) => {
    if (call !== undefined) {
      const { id, ...part } = call;
      if (part.cost !== undefined) modelCall = id;
      return [[id, part] as const];
    }
    const id = modelCall;
    modelCall = null;
    return id === null || output === undefined ? [] : [[id, { output }] as const];
  });
};

/** True for a list of messages of which one calls tools. */
const callsTools = (value: Json | undefined): boolean =>
  Array.isArray(value) && value.some((message: Json) => isObject(message) && message["tool_calls"] !== undefined);

/**
 * Adds to each tool and model call what its parts tell of it: log events of other spans, and spans with the same call id. Values that a
 * span has itself are kept, but for an output that lacks the tool calls.
 */
export const withCallParts = <Each extends IdentifiedSpan>(spans: readonly Each[]): readonly Each[] => {
  const parts: readonly (readonly [id: string, part: CallPart])[] = [
    ...spans.flatMap(callsInEvents),
    ...spans.flatMap(({ metadata, input, output, error }) => {
      const id = metadata?.[callPartKey];
      return typeof id === "string" ? [[id, { input, output, error }] as const] : [];
    }),
  ];
  if (parts.length === 0) return spans;
  // Of several parts with a value the last one counts.
  const calls = new Map<string, CallPart>();
  for (const [id, part] of parts) calls.set(id, { ...calls.get(id), ...presentEntries<unknown>(part) });
  return spans.map((span) => {
    const id = span.metadata?.[callIdKey];
    const call = typeof id === "string" ? calls.get(id) : undefined;
    if (call === undefined) return span;
    const { input = null, output = null, cost = null } = call;
    const error = span.error ?? call.error ?? null;
    return {
      ...span,
      status: error !== null && span.status === "UNSET" ? "ERROR" : span.status,
      input: span.input ?? input,
      output:
        span.output === null || span.output === undefined || (callsTools(output) && !callsTools(span.output))
          ? output
          : span.output,
      error,
      cost: span.cost ?? cost,
    };
  });
};
