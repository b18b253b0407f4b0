import type { GenericSchema } from "valibot";

/** The key in the name of a parameter. */
const form = /^metadata(?:\.(?<dotted>.+)|\[(?<bracketed>.+)\])$/su;

const keyOf = (name: string): string | undefined => {
  const { dotted, bracketed } = form.exec(name)?.groups ?? {};
  return dotted ?? bracketed;
};

const takesMetadata = (schema: GenericSchema | undefined): boolean =>
  schema !== undefined &&
  "entries" in schema &&
  typeof schema.entries === "object" &&
  schema.entries !== null &&
  Object.hasOwn(schema.entries, "metadata");

/**
 * The parameters of a query, those that are called `metadata.<key>` or `metadata[<key>]` as one, by key, where a route takes
 * it. Others, a `metadata` without a key among them, stay as they are.
 */
export const withMetadata = (
  schema: GenericSchema | undefined,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => {
  if (!takesMetadata(schema)) return given;
  const named = Object.entries(given).flatMap(([name, values]) => {
    const key = keyOf(name);
    return key === undefined ? [] : [[key, values] as const];
  });
  if (named.length === 0) return given;
  const others = Object.entries(given).filter(([name]) => keyOf(name) === undefined);
  return { ...Object.fromEntries(others), metadata: Object.fromEntries(named) };
};
