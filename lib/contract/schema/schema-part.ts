import type { GenericSchema } from "valibot";
import type { JsonSchema } from "./json-schema.ts";

/** Direction of a value: `input` for requests, `output` for replies. Defaults and transformations differ between the two. */
export type Direction = "input" | "output";

/** The members of valibot's schemas and actions that the conversion reads; each schema has only those of its type. */
export interface Part {
  readonly kind: "schema" | "validation" | "transformation" | "metadata";
  readonly type: string;
  readonly pipe?: readonly Part[];
  readonly entries?: Readonly<Record<string, Part>>;
  readonly rest?: Part;
  readonly item?: Part;
  readonly value?: Part;
  readonly wrapped?: Part;
  readonly options?: readonly unknown[];
  readonly literal?: unknown;
  readonly default?: unknown;
  readonly getter?: (input: unknown) => Part;
  readonly requirement?: unknown;
  readonly message?: unknown;
  readonly title?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly metadata?: {
    readonly jsonSchema?: Readonly<Record<Direction, JsonSchema>>;
    readonly page?: true;
    readonly documentedAs?: Part;
  };
}

/** Returns a valibot schema as a `Part`, whose internal members can be read. */
export const partOf = (schema: GenericSchema): Part => schema;

/** Returns the parts of a schema's pipe in order, with nested pipes flattened. */
export const partsOf = (schema: Part): readonly Part[] =>
  schema.pipe === undefined
    ? [schema]
    : schema.pipe.flatMap((part) => (part.kind === "schema" && part !== schema ? partsOf(part) : [part]));

/** True if an option is a schema, as in a union; false for the values of a picklist. */
export const isPart = (option: unknown): option is Part =>
  typeof option === "object" && option !== null && "kind" in option;
