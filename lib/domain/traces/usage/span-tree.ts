import type { Span } from "../trace.ts";

type ParentLink = Pick<Span, "span_id" | "parent_span_id">;

/** Returns the index of each span's parent; undefined if there is no such span, and where a circle of parents is cut: at its lowest id. */
const parentIndexes = (spans: readonly ParentLink[]): readonly (number | undefined)[] => {
  const indexes = new Map(spans.map(({ span_id: id }, index) => [id, index]));
  const parents = spans.map(({ parent_span_id: parent }) => (parent === null ? undefined : indexes.get(parent)));
  const idAt = (index: number): string => spans[index]?.span_id ?? "";
  /** The first span by index from which each span was reached. */
  const origins: (number | undefined)[] = spans.map(() => undefined);
  for (const start of spans.keys()) {
    let at: number | undefined = start;
    for (; at !== undefined && origins[at] === undefined; at = parents[at]) origins[at] = start;
    if (at === undefined || origins[at] !== start) continue;
    let lowest = at;
    for (let next = parents[at]; next !== undefined && next !== at; next = parents[next])
      if (idAt(next) < idAt(lowest)) lowest = next;
    parents[lowest] = undefined;
  }
  return parents;
};

/** Called for a span by its index and that of its parent, undefined if the parent is not among the spans. */
type Visit = (index: number, parent: number | undefined) => void;

const noVisit: Visit = () => undefined;

/** Walks through spans depth-first: `enter` is called before a span's children, `leave` after them. */
export const walkSpans = (spans: readonly ParentLink[], enter: Visit, leave: Visit = noVisit): void => {
  const parents = parentIndexes(spans);
  const children = spans.map((): number[] => []);
  const stack: { readonly index: number; readonly isEntered: boolean }[] = [];
  for (const [index, parent] of parents.entries())
    if (parent === undefined) stack.push({ index, isEntered: false });
    else children[parent]?.push(index);
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { index, isEntered } = top;
    (isEntered ? leave : enter)(index, parents[index]);
    if (isEntered) continue;
    stack.push({ index, isEntered: true });
    for (const child of children[index] ?? []) stack.push({ index: child, isEntered: false });
  }
};
