import type { GenericSchema } from "valibot";
import type { Route } from "../../lib/contract/route.ts";
import { slotOf, type Slot } from "./shape.ts";

/** All that a route takes. */
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

/** Keys of metadata have to be declared, and parameters that are called after them are no field by that name. */
const withoutMetadata = (query: Surface["query"]): Surface["query"] =>
  Object.fromEntries(Object.entries(query).filter(([name]) => name !== "metadata"));

const cache = new WeakMap<Route, Surface>();

/** @throws Error saying what to add when a schema of the route can be read by nobody. */
export const surfaceOf = (route: Route): Surface => {
  const known = cache.get(route);
  if (known !== undefined) return known;
  const made = {
    params: fieldsOf(route.params, `${route.id}: path`),
    query: withoutMetadata(fieldsOf(route.query, `${route.id}: query`)),
    body: route.body === undefined ? null : slotOf(route.body, `${route.id}: body`),
  };
  cache.set(route, made);
  return made;
};
