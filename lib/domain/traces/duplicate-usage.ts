import { numberAt, type JsonObject } from "../json.ts";
import { listedCost, hasClientCost } from "./span-cost.ts";
import { countedTokens } from "./usage/split-tokens.ts";
import { telemetryKeys } from "./telemetry.ts";
import type { Span } from "./trace.ts";

/** Kinds of spans that represent a model call. */
const callKinds = new Set<Span["kind"]>(["LLM", "EMBEDDING"]);

const hasPositiveTotal = (cost: JsonObject | null): boolean => numberAt(cost, "total") > 0;

/** True if an OpenTelemetry span represents a model call. */
export const isTelemetryCall = ({ kind, metadata }: Pick<Span, "kind" | "metadata">): boolean =>
  callKinds.has(kind) && metadata[telemetryKeys.resource] !== undefined;

/** Ids of spans whose usage another span reports too, so that counting both would count one model call twice. */
export interface DuplicateUsage {
  /** Ids of spans whose tokens are not counted, since a child span reports the same tokens. */
  readonly tokens: ReadonlySet<string>;
  /**
   * Ids of spans whose cost is not counted: a child span reports the cost, or the cost comes from the price list and an
   * enclosing span has the client's cost.
   */
  readonly costs: ReadonlySet<string>;
}

/** Returns the ids of model calls without a client cost that have an ancestor with a counted client cost. */
const callsWithEnclosingCost = (
  telemetry: readonly Span[],
  hasCountedCost: (span: Span) => boolean,
): ReadonlySet<string> => {
  const calls = new Map(telemetry.map((span) => [span.span_id, span]));
  /** Cached results by span id: true if the span or an ancestor has a counted client cost. */
  const hasCostById = new Map<string, boolean>();
  const enclosingCall = ({ kind, parent_span_id: parent }: Span): Span | null => {
    const outer = parent === null ? undefined : calls.get(parent);
    return outer?.kind === kind ? outer : null;
  };
  const hasCostAround = (span: Span): boolean => {
    const visitedIds: string[] = [];
    let [at, paid]: [Span | null, boolean] = [span, false];
    for (; at !== null && !paid; at = enclosingCall(at)) {
      const knownResult = hasCostById.get(at.span_id);
      paid = knownResult ?? hasCountedCost(at);
      visitedIds.push(at.span_id);
      if (knownResult !== undefined) break;
      // Preliminary result, which ends the loop if spans are each other's parents.
      hasCostById.set(at.span_id, paid);
    }
    for (const id of visitedIds) hasCostById.set(id, paid);
    return paid;
  };
  const inside = telemetry.filter((span) => {
    const outer = hasClientCost(span) ? null : enclosingCall(span);
    return outer !== null && hasCostAround(outer);
  });
  return new Set(inside.map(({ span_id: id }) => id));
};

/**
 * Finds model calls that are reported by two spans. A program that is instrumented twice, for instance in its framework
 * and in its model client, sends two OpenTelemetry spans for one model call, a parent and a child of the same kind.
 * Only the child is counted; spans of other clients are not examined. If either span has the client's cost, that cost
 * is used instead of the price list's.
 */
export const duplicateUsage = (spans: readonly Span[]): DuplicateUsage => {
  const telemetry = spans.filter(isTelemetryCall);
  const kinds = new Map(telemetry.map(({ span_id: id, kind }) => [id, kind]));
  const [tokens, costs] = [new Set<string>(), new Set<string>()];
  for (const span of telemetry) {
    const { kind, parent_span_id: parent, cost } = span;
    if (parent === null || kinds.get(parent) !== kind) continue;
    if (Object.values(countedTokens(span)).some((count) => count > 0)) tokens.add(parent);
    if (hasPositiveTotal(cost)) costs.add(parent);
  }
  const paid = costs.union(
    callsWithEnclosingCost(telemetry, (span) => hasPositiveTotal(span.cost) && !costs.has(span.span_id)),
  );
  // The price list's cost is computed from the tokens, which are counted in the child span.
  const pricedCalls = telemetry.filter((span) => tokens.has(span.span_id) && listedCost(span) !== null);
  return { tokens, costs: paid.union(new Set(pricedCalls.map(({ span_id: id }) => id))) };
};

/**
 * Finds OpenTelemetry tool spans that repeat the call of a parent tool span with the same name, for instance if both a
 * framework and its instrumentation report the call.
 *
 * @returns id of the outermost span of the call by the id of each span that repeats it.
 */
export const duplicateToolSpans = (spans: readonly Span[]): ReadonlyMap<string, string> => {
  const tools = spans.filter(({ kind, metadata }) => kind === "TOOL" && metadata[telemetryKeys.resource] !== undefined);
  const byId = new Map(tools.map((span) => [span.span_id, span]));
  const outer = new Map<string, string>();
  for (const { span_id: id, parent_span_id: parent, name } of tools) {
    const parentSpan = parent === null || parent === id ? undefined : byId.get(parent);
    if (parentSpan === undefined || parentSpan.name !== name) continue;
    outer.set(id, parentSpan.span_id);
  }
  // If three or more nested spans report one call, the outermost represents all.
  for (const [id, first] of outer) {
    const visitedIds = new Set([id]);
    let last = first;
    for (let next = outer.get(last); next !== undefined && !visitedIds.has(last); next = outer.get(last)) {
      visitedIds.add(last);
      last = next;
    }
    outer.set(id, last);
  }
  return outer;
};
