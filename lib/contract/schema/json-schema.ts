import * as v from "valibot";

/** A JSON Schema 2020-12, limited to the keywords that this service uses. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  /** Names of the values of `enum` in generated code, in their order. */
  readonly "x-enum-varnames"?: readonly string[];
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

/** JSON Schemas of one value: as clients send it, and as the service returns it. */
interface InputAndOutput {
  readonly input: JsonSchema;
  readonly output: JsonSchema;
}

/**
 * Declares the JSON Schema of the preceding parts of a valibot pipe, such as transformations and custom checks, from which no
 * schema can be derived. Later parts of the pipe add their keywords to it.
 *
 * @example
 * v.pipe(v.string(), v.transform(Number), describedAs({ type: "integer" }, { type: "number" }))
 */
export const describedAs = <Value>(input: JsonSchema, output: JsonSchema = input) =>
  v.metadata<Value, { readonly jsonSchema: InputAndOutput }>({ jsonSchema: { input, output } });

/** Documents a value with another schema in OpenAPI, without validating the value against that schema. */
export const documentedBySchema = <Value>(schema: v.GenericSchema) =>
  v.metadata<Value, { readonly documentedAs: v.GenericSchema }>({ documentedAs: schema });
