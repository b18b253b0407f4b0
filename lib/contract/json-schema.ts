import * as v from "valibot";

/** The keywords of JSON Schema 2020-12 that this service uses. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly items?: JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
}

/** What a value is for who sends it, and for who gets it. */
interface BothWays {
  readonly input: JsonSchema;
  readonly output: JsonSchema;
}

/**
 * Says in a pipe, for the parts of it so far, what no reader could tell from code: a transformation, a custom check. What
 * follows in the pipe is added to it.
 */
export const inJson = <Value>(input: JsonSchema, output: JsonSchema = input) =>
  v.metadata<Value, { readonly jsonSchema: BothWays }>({ jsonSchema: { input, output } });

/** Says in a pipe that a value should be what another schema takes, without refusing what is not. */
export const shouldBe = <Value>(schema: v.GenericSchema) =>
  v.metadata<Value, { readonly shouldBe: v.GenericSchema }>({ shouldBe: schema });
