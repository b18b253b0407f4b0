import fc from "fast-check";
import type { JsonSchema } from "../../../lib/contract/schema/json-schema.ts";
import { resolve, type OpenApiDocument } from "../../../lib/contract/openapi/openapi.ts";

/** Any JSON far below the limits in bytes, which a JSON schema cannot express. */
export const freeJson = fc.jsonValue({ maxDepth: 2 }).filter((value) => JSON.stringify(value).length < 4_000);

/** An instant of a day in which a time zone decides whether it is in the years 1 to 9999 of UTC, which a pattern cannot express. */
const isAtEndOfTime = (text: string): boolean => /^(?:0001-01-01|9999-12-31)T/u.test(text);

/**
 * Replaces a look at the next character, which fast-check cannot generate, by another character: what is generated is a part of what the pattern accepts.
 */
const withoutLookahead = (pattern: string): string =>
  pattern.replaceAll(/\(\?!\[(?<not>(?:[^\]\\]|\\.)+)\]\)/gu, "[^$<not>]");

const texts = ({ pattern, minLength = 0, maxLength = 40 }: JsonSchema): fc.Arbitrary<string> => {
  if (pattern !== undefined) {
    return fc
      .stringMatching(new RegExp(withoutLookahead(pattern), "u"))
      .filter(
        (text) =>
          new RegExp(pattern, "u").test(text) &&
          text.length >= minLength &&
          text.length <= maxLength &&
          !isAtEndOfTime(text),
      );
  }
  const filled = (length: number): fc.Arbitrary<string> => fc.constant("x".repeat(length));
  return fc.oneof(fc.string({ minLength, maxLength: Math.min(maxLength, 40) }), filled(minLength), filled(maxLength));
};

const numbers = ({ minimum = -1000, maximum = 1000 }: JsonSchema): fc.Arbitrary<number> =>
  fc.oneof(fc.constantFrom(minimum, maximum), fc.double({ min: minimum, max: maximum, noNaN: true }));

/** Values that JSON Schema accepts, generated from the schema. */
export const valuesOf = (document: OpenApiDocument, schemaOrRef: JsonSchema): fc.Arbitrary<unknown> => {
  const schema = resolve(document.components.schemas, schemaOrRef);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((option) => valuesOf(document, option)));
  if (schema.type === undefined) return freeJson;
  return fc.oneof(...[schema.type].flat().map((type) => ofType(document, type, schema)));
};

/** True for a list of a length that the schema excludes by `not`. */
const hasLengthOf = (not: JsonSchema | undefined, { length }: readonly unknown[]): boolean =>
  not !== undefined && length >= (not.minItems ?? 0) && length <= (not.maxItems ?? Infinity);

const ofType = (document: OpenApiDocument, type: string, schema: JsonSchema): fc.Arbitrary<unknown> => {
  switch (type) {
    case "string":
      return texts(schema);
    case "integer":
      return numbers(schema).map(Math.round);
    case "number":
      return numbers(schema);
    case "boolean":
      return fc.boolean();
    case "array":
      return fc
        .array(valuesOf(document, schema.items ?? {}), {
          minLength: schema.minItems ?? 0,
          maxLength: Math.min(schema.maxItems ?? 4, (schema.minItems ?? 0) + 4),
        })
        .filter((items) => !hasLengthOf(schema.not, items));
    case "object":
      return objects(document, schema);
    default:
      return fc.constant(null);
  }
};

const objects = (document: OpenApiDocument, schema: JsonSchema): fc.Arbitrary<object> => {
  const { properties = {}, required = [], additionalProperties } = schema;
  const propertyArbitraries = Object.entries(properties).map(
    ([name, property]) => [name, valuesOf(document, property)] as const,
  );
  const each = typeof additionalProperties === "object" ? valuesOf(document, additionalProperties) : freeJson;
  const additionalFields =
    additionalProperties === false ? fc.constant({}) : fc.dictionary(fc.string(), each, { maxKeys: 2 });
  return fc
    .tuple(additionalFields, fc.record(Object.fromEntries(propertyArbitraries), { requiredKeys: [...required] }))
    .map(([additional, fields]) => {
      const surplus = Object.entries(additional).filter(([key]) => !(key in properties));
      return Object.fromEntries([...surplus, ...Object.entries(fields)]);
    });
};
