import type { GenericSchema } from "valibot";

const prefix = "metadata.";

const takesMetadata = (schema: GenericSchema | undefined): boolean =>
  schema !== undefined &&
  "entries" in schema &&
  typeof schema.entries === "object" &&
  schema.entries !== null &&
  Object.hasOwn(schema.entries, "metadata");

/**
 * The parameters of a query, those that are called `metadata.<key>` as one, by key, where a route takes it. Others, a
 * `metadata` without a key among them, stay as they are.
 */
export const withMetadata = (
  schema: GenericSchema | undefined,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => {
  if (!takesMetadata(schema)) return given;
  const entries = Object.entries(given);
  const named = entries.filter(([name]) => name.startsWith(prefix));
  if (named.length === 0) return given;
  return {
    ...Object.fromEntries(entries.filter(([name]) => !name.startsWith(prefix))),
    metadata: Object.fromEntries(named.map(([name, values]) => [name.slice(prefix.length), values])),
  };
};
