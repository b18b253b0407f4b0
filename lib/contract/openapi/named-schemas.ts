import { isDeepStrictEqual } from "node:util";
import type { JsonSchema } from "../json-schema.ts";
import { refTo } from "./openapi.ts";

/** The schemas of a document that have a name. */
export interface NamedSchemas {
  readonly all: Readonly<Record<string, JsonSchema>>;
  /** Puts a schema in under its name. @throws Error when the name stands for another schema already. */
  refer(name: string, make: () => JsonSchema): JsonSchema;
}

/** Starts an empty table of named schemas. */
export const namedSchemas = (): NamedSchemas => {
  const all: Record<string, JsonSchema> = {};
  const open = new Set<string>();
  return {
    all,
    refer: (name, make) => {
      // A schema that contains itself comes back here before it is made.
      if (!open.has(name)) {
        open.add(name);
        const made = make();
        open.delete(name);
        if (!isDeepStrictEqual(all[name] ?? made, made)) {
          throw new Error(`Two schemas are called ${name}, or one that is not the same for a request and a reply.`);
        }
        all[name] = made;
      }
      return refTo("schemas", name);
    },
  };
};
