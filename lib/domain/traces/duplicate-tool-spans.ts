import { telemetryKeys } from "./telemetry.ts";
import type { Span } from "./trace.ts";

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
  // If three or more nested spans report one call, the outermost represents all; of a circle, one of them.
  const outermost = new Map<string, string>();
  for (const start of outer.keys()) {
    const path = new Set<string>();
    let at = start;
    for (let next = outer.get(at); next !== undefined && !outermost.has(at) && !path.has(at); next = outer.get(at)) {
      path.add(at);
      at = next;
    }
    const representative = outermost.get(at) ?? at;
    for (const id of path) outermost.set(id, representative);
  }
  return new Map([...outermost].filter(([id, representative]) => id !== representative));
};
