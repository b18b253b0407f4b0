import { toDouble, type JsonObject } from "../json.ts";
import { listedCost, tellsCost } from "./span-cost.ts";
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

/** Ids of spans of which another one tells what they tell. */
export interface WrappedCalls {
  /** Whose tokens a span inside tells again. */
  readonly tokens: ReadonlySet<string>;
  /** Whose costs another span tells: one inside, or, of what the price list says, one around it whose client says what it paid. */
  readonly costs: ReadonlySet<string>;
}

/** Calls without a cost of their client's whose cost a span around them tells, however far outside. */
const paidAround = (telemetry: readonly Span[], counted: (span: Span) => boolean): ReadonlySet<string> => {
  const calls = new Map(telemetry.map((span) => [span.span_id, span]));
  /** Whether a span or one around it tells what was paid: by id, of those that were asked for. */
  const known = new Map<string, boolean>();
  const around = ({ kind, parent_span_id: parent }: Span): Span | null => {
    const outer = parent === null ? undefined : calls.get(parent);
    return outer?.kind === kind ? outer : null;
  };
  const isPaid = (span: Span): boolean => {
    const asked: string[] = [];
    let [at, paid]: [Span | null, boolean] = [span, false];
    for (; at !== null && !paid; at = around(at)) {
      const before = known.get(at.span_id);
      paid = before ?? counted(at);
      asked.push(at.span_id);
      if (before !== undefined) break;
      // Until it is known: spans that are each other's parents end here.
      known.set(at.span_id, paid);
    }
    for (const id of asked) known.set(id, paid);
    return paid;
  };
  const inside = telemetry.filter((span) => {
    const outer = tellsCost(span) ? null : around(span);
    return outer !== null && isPaid(outer);
  });
  return new Set(inside.map(({ span_id: id }) => id));
};

/**
 * A program that is instrumented twice, say its framework and the client of its model provider, has two spans of
 * OpenTelemetry for one call of a model, the inner one straight in the outer one and of the same kind. Of such calls the
 * inner one counts; what another client sends is taken as it is. What a client says that it paid counts in place of what the price list says of
 * the same call, whichever of the spans has it.
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
  const paid = costs.union(paidAround(telemetry, (span) => tells(span.cost, "total") && !costs.has(span.span_id)));
  // What is listed follows from the tokens, which count inside.
  const listed = telemetry.filter((span) => tokens.has(span.span_id) && listedCost(span) !== null);
  return { tokens, costs: paid.union(new Set(listed.map(({ span_id: id }) => id))) };
};

/**
 * Spans of telemetry that tell again of the call of a tool that the span straight around them is of, by the ids of those: of
 * the same name, say of a framework and of its instrumentation.
 */
export const repeatedTools = (spans: readonly Span[]): ReadonlyMap<string, string> => {
  const tools = spans.filter(({ kind, metadata }) => kind === "TOOL" && metadata[telemetryKeys.resource] !== undefined);
  const byId = new Map(tools.map((span) => [span.span_id, span]));
  const outer = new Map<string, string>();
  for (const { span_id: id, parent_span_id: parent, name } of tools) {
    const around = parent === null || parent === id ? undefined : byId.get(parent);
    if (around === undefined || around.name !== name) continue;
    outer.set(id, around.span_id);
  }
  // Of three spans for one call the outermost stands for all.
  for (const [id, first] of outer) {
    const seen = new Set([id]);
    let last = first;
    for (let next = outer.get(last); next !== undefined && !seen.has(last); next = outer.get(last)) {
      seen.add(last);
      last = next;
    }
    outer.set(id, last);
  }
  return outer;
};
