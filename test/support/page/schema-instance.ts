import { array, lazy, number, optional, record, string, unknown, object, type GenericSchema } from "valibot";

/** The subset of JSON Schema used by strict answers. */
interface AnswerJsonSchema {
  readonly type?: string | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly anyOf?: readonly AnswerJsonSchema[] | undefined;
  readonly properties?: Readonly<Record<string, AnswerJsonSchema>> | undefined;
  readonly items?: AnswerJsonSchema | undefined;
  readonly minimum?: number | undefined;
}

/** Parses a JSON schema of a strict answer. */
export const jsonSchema: GenericSchema<AnswerJsonSchema> = object({
  type: optional(string()),
  enum: optional(array(unknown())),
  anyOf: optional(array(lazy(() => jsonSchema))),
  properties: optional(
    record(
      string(),
      lazy(() => jsonSchema),
    ),
  ),
  items: optional(lazy(() => jsonSchema)),
  minimum: optional(number()),
});

/** A valid value of a JSON schema: the first option everywhere, and the given text for every string. */
export const instanceOf = (schema: AnswerJsonSchema, text: string): unknown => {
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf?.[0] !== undefined) return instanceOf(schema.anyOf[0], text);
  switch (schema.type) {
    case "object":
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, value]) => [key, instanceOf(value, text)]),
      );
    case "array":
      return schema.items === undefined ? [] : [instanceOf(schema.items, text)];
    case "number":
    case "integer":
      return schema.minimum ?? 1;
    case "boolean":
      return true;
    case "null":
      return null;
    case undefined:
    default:
      return text;
  }
};
