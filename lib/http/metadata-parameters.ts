import type { GenericSchema } from "valibot";

/** Matches the query parameters `metadata.<key>` and `metadata[<key>]`. */
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
 * Collects the query parameters `metadata.<key>` and `metadata[<key>]` into one object `metadata` by key, if the route's schema
 * has `metadata`. Other parameters, and a `metadata` without a key, are unchanged.
 */
export const withMetadata = (
  schema: GenericSchema | undefined,
  parameters: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => {
  if (!takesMetadata(schema)) return parameters;
  const metadata = Object.entries(parameters).flatMap(([name, values]) => {
    const key = keyOf(name);
    return key === undefined ? [] : [[key, values] as const];
  });
  if (metadata.length === 0) return parameters;
  const otherParameters = Object.entries(parameters).filter(([name]) => keyOf(name) === undefined);
  return { ...Object.fromEntries(otherParameters), metadata: Object.fromEntries(metadata) };
};
