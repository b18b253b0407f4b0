import { reportsUsage } from "./usage/counted-usage.ts";
import { walkSpans } from "./usage/span-tree.ts";
import type { Span } from "./trace.ts";

/** Filter key of traces that have a span with this id, which neither reports usage nor is within a span that does. */
const plainKey = (id: string): string => `s${id}`;

/** Filter key of traces in which the span with this id, or one around it, reports usage. */
const usageKey = (id: string): string => `u${id}`;

/** Filter key of traces that had a span whose parent has this id and had not arrived. */
const awaitedKey = (id: string): string => `p${id}`;

/** Returns the filter keys of which a trace has at least one if it has a span with this id. */
export const spanKeys = (id: string): readonly string[] => [plainKey(id), usageKey(id)];

/** Returns the filter keys that decide how spans can be added to a trace (see `addedKeys`). */
export const lookupKeysOf = (spans: readonly Span[]): ReadonlySet<string> =>
  new Set(
    spans.flatMap(({ span_id: id, parent_span_id: parent }) => [
      ...spanKeys(id),
      awaitedKey(id),
      ...(parent === null ? [] : [...spanKeys(parent), awaitedKey(parent)]),
    ]),
  );

/**
 * Returns the filter keys of spans that are added to a trace without reading its document; null if it has to be read,
 * because a span exists already, or a span with usage could get around or within another one. Usage is counted by what is
 * around what (see `countedUsage`), so that without such a pair the sums of both parts add up. A span with usage above, or
 * with usage of its own, may therefore not join stored spans below, and a span with usage may not join one with usage above.
 *
 * @param has true for keys that the trace has, and rarely for others.
 */
export const addedKeys = (spans: readonly Span[], has: (key: string) => boolean): ReadonlySet<string> | null => {
  const keys = new Set<string>();
  const ids = new Set(spans.map(({ span_id: id }) => id));
  /** Spans of which one around them reports usage, or they themselves. */
  const withUsage = new Set<number>();
  /** Spans within a stored span that has usage or is within usage. */
  const belowStored = new Set<number>();
  let hasConflict = false;
  walkSpans(spans, (index, parentIndex) => {
    const span = spans[index];
    if (span === undefined) return;
    const { span_id: id, parent_span_id: parent } = span;
    const isStoredParent = parent !== null && parentIndex === undefined && has(usageKey(parent));
    if (isStoredParent || (parentIndex !== undefined && belowStored.has(parentIndex))) belowStored.add(index);
    const isCarrier = reportsUsage(span);
    if (isCarrier || belowStored.has(index) || (parentIndex !== undefined && withUsage.has(parentIndex)))
      withUsage.add(index);
    hasConflict ||=
      spanKeys(id).some(has) || (isCarrier && belowStored.has(index)) || (withUsage.has(index) && has(awaitedKey(id)));
    keys.add(withUsage.has(index) ? usageKey(id) : plainKey(id));
    if (parent !== null && !ids.has(parent) && ![...spanKeys(parent), awaitedKey(parent)].some(has))
      keys.add(awaitedKey(parent));
  });
  return hasConflict ? null : keys;
};

/** Returns the filter keys of a whole trace's spans. */
export const filterKeysOf = (spans: readonly Span[]): ReadonlySet<string> =>
  addedKeys(spans, () => false) ?? new Set<string>();
