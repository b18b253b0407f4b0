import { toDouble, type JsonObject } from "../json.ts";
import { telemetryKeys } from "./telemetry.ts";
import type { Span } from "./trace.ts";

/** Kinds of spans that stand for one call of a model. */
const calling = new Set<Span["kind"]>(["LLM", "EMBEDDING"]);

const tells = (values: JsonObject | null, ...keys: readonly string[]): boolean =>
  keys.some((key) => {
    const value = toDouble(values?.[key] ?? 0);
    return typeof value === "number" && value > 0;
  });

/** Whether a span of OpenTelemetry stands for a call of a model. */
export const isTelemetryCall = ({ kind, metadata }: Pick<Span, "kind" | "metadata">): boolean =>
  calling.has(kind) && metadata[telemetryKeys.resource] !== undefined;

/** Ids of spans whose tokens and whose costs a span inside tells again. */
export interface WrappedCalls {
  readonly tokens: ReadonlySet<string>;
  readonly costs: ReadonlySet<string>;
}

/**
 * A program that is instrumented twice, say its framework and the client of its model provider, has two spans of
 * OpenTelemetry for one call of a model, the inner one straight in the outer one and of the same kind. Of such calls the
 * inner one counts; what another client sends is taken as it is.
 */
export const wrappedCalls = (spans: readonly Span[]): WrappedCalls => {
  const telemetry = spans.filter(isTelemetryCall);
  const kinds = new Map(telemetry.map(({ span_id: id, kind }) => [id, kind]));
  const [tokens, costs] = [new Set<string>(), new Set<string>()];
  for (const { kind, parent_span_id: parent, token_usage: usage, cost } of telemetry) {
    if (parent === null || kinds.get(parent) !== kind) continue;
    if (tells(usage, "prompt_tokens", "completion_tokens")) tokens.add(parent);
    if (tells(cost, "total")) costs.add(parent);
  }
  return { tokens, costs };
};
