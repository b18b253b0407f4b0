import type { GenericSchema } from "valibot";
import type { JsonSchema } from "../json-schema.ts";

/** Whose side a schema is described for: who sends the value, or who gets it. */
export type Direction = "input" | "output";

/** What is read here of the schemas and actions of valibot; each has the members of its type. */
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
    readonly shouldBe?: Part;
  };
}

/** The parts of a schema, to be read. */
export const partOf = (schema: GenericSchema): Part => schema;

/** A pipe's parts in order, pipes within it opened. */
export const partsOf = (schema: Part): readonly Part[] =>
  schema.pipe === undefined
    ? [schema]
    : schema.pipe.flatMap((part) => (part.kind === "schema" && part !== schema ? partsOf(part) : [part]));

/** Tells a union's schemas from a picklist's words. */
export const isPart = (option: unknown): option is Part =>
  typeof option === "object" && option !== null && "kind" in option;
