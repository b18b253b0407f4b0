import { isDeepStrictEqual } from "node:util";
import type { JsonSchema } from "../schema/json-schema.ts";
import { refTo } from "./openapi.ts";

/** The named schemas of an OpenAPI document. */
export interface SchemaRegistry {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /** Adds a schema under a name and returns a reference to it. @throws Error if another schema already has the name. */
  refer(name: string, make: () => JsonSchema): JsonSchema;
}

/** Creates an empty registry of named schemas. */
export const schemaRegistry = (): SchemaRegistry => {
  const schemas: Record<string, JsonSchema> = {};
  const pending = new Set<string>();
  return {
    schemas,
    refer: (name, make) => {
      // A recursive schema refers to itself before it is complete.
      if (!pending.has(name)) {
        pending.add(name);
        const schema = make();
        pending.delete(name);
        if (!isDeepStrictEqual(schemas[name] ?? schema, schema)) {
          throw new Error(
            `Two different schemas have the name ${name}, or a schema differs between requests and replies.`,
          );
        }
        schemas[name] = schema;
      }
      return refTo("schemas", name);
    },
  };
};
