/** The route of a concrete path: its value and its path parameters. */
export interface Match<T> {
  readonly value: T;
  /** Percent-decoded path parameters by name. */
  readonly parameters: Readonly<Record<string, string>>;
}

interface Node<T> {
  readonly children: Map<string, Node<T>>;
  parameter?: { readonly name: string; readonly node: Node<T> };
  greedy?: { readonly name: string; readonly value: T };
  value?: T;
}

const newNode = <T>(): Node<T> => ({ children: new Map() });

const add = <T>(root: Node<T>, path: string, value: T): void => {
  let node = root;
  for (const segment of path.split("/").slice(1)) {
    const name = /^\{(.+)\}$/.exec(segment)?.[1];
    if (name?.endsWith("+") === true) {
      node.greedy = { name: name.slice(0, -1), value };
      return;
    }
    if (name === undefined) {
      const child = node.children.get(segment) ?? newNode<T>();
      node.children.set(segment, child);
      node = child;
    } else {
      node.parameter ??= { name, node: newNode<T>() };
      if (node.parameter.name !== name)
        throw new Error(`Sibling parameters must share one name: {${node.parameter.name}} and {${name}} in ${path}.`);
      node = node.parameter.node;
    }
  }
  node.value = value;
};

const find = <T>(
  node: Node<T>,
  segments: readonly string[],
  parameters: Record<string, string>,
): Match<T> | undefined => {
  const [segment, ...remaining] = segments;
  if (segment === undefined) return node.value === undefined ? undefined : { value: node.value, parameters };
  const child = node.children.get(segment);
  const exact = child && find(child, remaining, parameters);
  if (exact !== undefined) return exact;
  if (node.parameter !== undefined && segment !== "") {
    const { name, node: next } = node.parameter;
    const match = find(next, remaining, { ...parameters, [name]: segment });
    if (match !== undefined) return match;
  }
  if (node.greedy === undefined) return undefined;
  return { value: node.greedy.value, parameters: { ...parameters, [node.greedy.name]: segments.join("/") } };
};

/**
 * Returns a function that finds the route of a concrete path.
 *
 * Static segments win over parameters, parameters over a greedy parameter (`{name+}`). Each segment is percent-decoded separately,
 * so an encoded slash stays inside its segment. A path with a trailing slash is a different path.
 *
 * @returns a function that throws URIError for a malformed escape
 * @example
 * const find = routeTable([["/traces/{id}", getTrace]]);
 * find("/traces/42"); // { value: getTrace, parameters: { id: "42" } }
 */
export const routeTable = <T>(entries: Iterable<readonly [path: string, value: T]>) => {
  const root = newNode<T>();
  for (const [path, value] of entries) add(root, path, value);
  return (path: string): Match<T> | undefined => {
    const segments = path.split("/").slice(1).map(decodeURIComponent);
    return find(root, segments, {});
  };
};
