/** Steps of a JSON path below its root: names of keys, and `*` for any key or any item of a list. */
export type Path = readonly (string | typeof anyStep)[];

export const anyStep = Symbol("any");

/** A step of a path: `.name`, `['name']`, `[0]`, `.*` or `[*]`. */
const step = /\.(?:(\*)|([\p{L}_][\p{L}\p{N}_-]*))|\[(?:(\*)|(\d{1,9})|'([^'[\]]{1,100})'|"([^"[\]]{1,100})")\]/uy;

/** Returns the steps of a JSON path; null for another text. */
export const parsePath = (text: string): Path | null => {
  if (!text.startsWith("$")) return null;
  const steps: (string | typeof anyStep)[] = [];
  for (let at = 1; at < text.length; at = step.lastIndex) {
    step.lastIndex = at;
    const match = step.exec(text);
    if (match === null) return null;
    const [, anyKey, key, anyItem, ...names] = match;
    steps.push((anyKey ?? anyItem) ? anyStep : (key ?? names.find((name) => name !== undefined) ?? ""));
  }
  return steps;
};

/** Places in a document at which paths end, and the places below. */
export interface PathNode {
  /** Text of the path that ends here. */
  readonly rule: string | null;
  readonly children: ReadonlyMap<Path[number], PathNode>;
}

/** Returns the tree of several paths. */
export const pathTree = (paths: readonly (readonly [rule: string, path: Path])[]): PathNode => {
  const groups = Map.groupBy(
    paths.filter(([, path]) => path.length > 0),
    ([, [first]]) => first ?? "",
  );
  return {
    rule: paths.find(([, path]) => path.length === 0)?.[0] ?? null,
    children: new Map(
      Array.from(groups, ([first, group]) => [first, pathTree(group.map(([rule, path]) => [rule, path.slice(1)]))]),
    ),
  };
};

/** Returns the places one step below others. */
export const stepInto = (nodes: readonly PathNode[], name: string): readonly PathNode[] =>
  nodes.length === 0
    ? nodes
    : nodes.flatMap(({ children }) => [children.get(name) ?? [], children.get(anyStep) ?? []].flat());

/** Returns the places with those below them alone that some names lead to. */
export const restrictedTo = (nodes: readonly PathNode[], names: readonly string[]): readonly PathNode[] =>
  nodes.map(({ children }) => ({
    rule: null,
    children: new Map([...children].filter(([step]) => typeof step === "string" && names.includes(step))),
  }));

/** Returns the path that ends at a place; null if none does. */
export const pathRule = (nodes: readonly PathNode[]): string | null =>
  nodes.find(({ rule }) => rule !== null)?.rule ?? null;
