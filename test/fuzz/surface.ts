import type { GenericSchema } from "valibot";
import type { Route } from "../../lib/contract/route.ts";
import { slotOf, type Slot } from "./shape.ts";

/** The inputs that a route accepts. */
export interface Surface {
  readonly params: Readonly<Record<string, Slot>>;
  readonly query: Readonly<Record<string, Slot>>;
  readonly body: Slot | null;
}

const fieldsOf = (schema: GenericSchema | undefined, path: string): Readonly<Record<string, Slot>> => {
  if (schema === undefined) return {};
  const { shape } = slotOf(schema, path);
  if (shape.kind !== "object") throw new Error(`${path}: the schema of parameters has to be an object.`);
  return shape.fields;
};

/** Metadata keys must be declared, and their parameters have no fixed name. */
const withoutMetadata = (query: Surface["query"]): Surface["query"] =>
  Object.fromEntries(Object.entries(query).filter(([name]) => name !== "metadata"));

const cache = new WeakMap<Route, Surface>();

/** Returns the inputs of a route. @throws Error with instructions when a schema is not supported. */
export const surfaceOf = (route: Route): Surface => {
  const cachedSurface = cache.get(route);
  if (cachedSurface !== undefined) return cachedSurface;
  const newSurface = {
    params: fieldsOf(route.params, `${route.id}: path`),
    query: withoutMetadata(fieldsOf(route.query, `${route.id}: query`)),
    body: route.body === undefined ? null : slotOf(route.body, `${route.id}: body`),
  };
  cache.set(route, newSurface);
  return newSurface;
};
