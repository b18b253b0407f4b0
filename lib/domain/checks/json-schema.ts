import { abbreviate } from "../text.ts";
import { isObject, toDouble, type Json, type JsonObject } from "../json.ts";
import { maxPatternLength, maxInstructions, compilePattern, type Pattern } from "./pattern.ts";

/** Maximum number of subschemas in a schema, and maximum depth. */
const [maxSchemas, maxDepth] = [200, 12] as const;

/** Maximum number of values in the keyword `enum`. */
const maxChoices = 100;

/** Description of the first error in a value, with its path, as a clause; null if the value is valid. */
type ValidationError = string | null;
type Test = (value: Json, path: string) => ValidationError;

/** Thrown for an invalid or unsupported JSON Schema. */
class SchemaError extends Error {}

const types: Readonly<Record<string, (value: Json) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === "boolean",
  string: (value) => typeof value === "string",
  number: (value) => typeof toDouble(value) === "number",
  integer: (value) => Number.isInteger(toDouble(value)),
  array: (value) => Array.isArray(value),
  object: isObject,
};

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

/** True if two JSON values are equal; numbers are compared as doubles. */
const isEqualJson = (a: Json, b: Json): boolean => {
  if (isList(a))
    return isList(b) && a.length === b.length && a.every((item, location) => isEqualJson(item, b[location] ?? null));
  if (isObject(a)) {
    const keys = Object.keys(a);
    return (
      isObject(b) &&
      keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && isEqualJson(a[key] ?? null, b[key] ?? null))
    );
  }
  return toDouble(a) === toDouble(b);
};

const shortJson = (value: Json): string => abbreviate(JSON.stringify(value), 60);

const childPath = (path: string, key: string | number): string =>
  typeof key === "number" ? `${path}[${key}]` : `${path}.${abbreviate(key, 40)}`;

/** Combines tests into one that returns the first error. */
const firstOf = (tests: readonly Test[]): Test => {
  return (value, path) => {
    for (const test of tests) {
      const flaw = test(value, path);
      if (flaw !== null) return flaw;
    }
    return null;
  };
};

const characters = (text: string): number => {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
};

/** Measures the quantity that a keyword bounds; undefined for values of other types. */
type Measure = (value: Json) => number | undefined;

const numberOf: Measure = (value) => {
  const number = toDouble(value);
  return typeof number === "number" ? number : undefined;
};
const lengthOf: Measure = (value) => (typeof value === "string" ? characters(value) : undefined);
const itemsOf: Measure = (value) => (isList(value) ? value.length : undefined);
const propertiesOf: Measure = (value) => (isObject(value) ? Object.keys(value).length : undefined);

const isAtLeast = (value: number, bound: number): boolean => value >= bound;
const isAtMost = (value: number, bound: number): boolean => value <= bound;

const bounds: Readonly<Record<string, readonly [Measure, (value: number, bound: number) => boolean]>> = {
  minimum: [numberOf, isAtLeast],
  maximum: [numberOf, isAtMost],
  exclusiveMinimum: [numberOf, (value, bound) => value > bound],
  exclusiveMaximum: [numberOf, (value, bound) => value < bound],
  minLength: [lengthOf, isAtLeast],
  maxLength: [lengthOf, isAtMost],
  minItems: [itemsOf, isAtLeast],
  maxItems: [itemsOf, isAtMost],
  minProperties: [propertiesOf, isAtLeast],
  maxProperties: [propertiesOf, isAtMost],
};

/** Keywords of JSON Schema that do not restrict values. */
const annotations = new Set([
  "$schema",
  "$id",
  "title",
  "description",
  "default",
  "examples",
  "$comment",
  "deprecated",
]);

class SchemaCompiler {
  schemaCount = 0;
  size = 0;

  /** Compiles a schema into a test. @throws SchemaError if the schema is invalid or too large. */
  read(schema: Json | undefined, at: string, depth = 0): Test {
    this.schemaCount += 1;
    if (this.schemaCount > maxSchemas) throw new SchemaError(`it has more than ${maxSchemas} schemas`);
    if (depth > maxDepth) throw new SchemaError(`it is nested deeper than ${maxDepth} levels`);
    if (schema === true) return () => null;
    if (schema === false) return (_, path) => `${path} is not allowed`;
    if (!isObject(schema)) throw new SchemaError(`${at} is not a schema`);
    return firstOf(
      Object.entries(schema)
        .filter(([keyword]) => !annotations.has(keyword))
        .map(([keyword, operand]) => this.#keyword(keyword, operand, schema, at, depth)),
    );
  }

  #keyword(keyword: string, operand: Json, schema: JsonObject, at: string, depth: number): Test {
    const location = `${at}.${keyword}`;
    const schemaError = (expected: string): SchemaError => new SchemaError(`${location} should be ${expected}`);
    const compileList = (): readonly Test[] => {
      if (!isList(operand) || operand.length === 0) throw schemaError("a list of schemas");
      return operand.map((item, index) => this.read(item, `${location}[${index}]`, depth + 1));
    };
    switch (keyword) {
      case "type": {
        const names = isList(operand) ? operand : [operand];
        const tests = names.map((name) => {
          const test = typeof name === "string" && Object.hasOwn(types, name) ? types[name] : undefined;
          if (test === undefined) throw schemaError(`one of ${Object.keys(types).join(", ")}, or a list of them`);
          return test;
        });
        const typeNames = names.filter((name) => typeof name === "string").join(" or ");
        return (value, path) => (tests.some((test) => test(value)) ? null : `${path} is not of type ${typeNames}`);
      }
      case "const":
        return (value, path) => (isEqualJson(operand, value) ? null : `${path} is not ${shortJson(operand)}`);
      case "enum": {
        if (!isList(operand) || operand.length > maxChoices)
          throw schemaError(`a list of at most ${maxChoices} values`);
        return (value, path) =>
          operand.some((item) => isEqualJson(item, value)) ? null : `${path} is none of ${shortJson(operand)}`;
      }
      case "required": {
        const keys = isList(operand) ? operand.filter((key) => typeof key === "string") : [];
        if (!isList(operand) || keys.length !== operand.length || keys.length > maxChoices) {
          throw schemaError(`a list of at most ${maxChoices} names`);
        }
        return (value, path) => {
          const missing = isObject(value) ? keys.find((key) => !Object.hasOwn(value, key)) : undefined;
          return missing === undefined ? null : `${childPath(path, missing)} is missing`;
        };
      }
      case "properties": {
        if (!isObject(operand)) throw schemaError("an object of schemas");
        const tests = Object.entries(operand).map(
          ([key, item]) => [key, this.read(item, childPath(location, key), depth + 1)] as const,
        );
        return (value, path) => {
          if (!isObject(value)) return null;
          for (const [key, test] of tests) {
            const flaw = Object.hasOwn(value, key) ? test(value[key] ?? null, childPath(path, key)) : null;
            if (flaw !== null) return flaw;
          }
          return null;
        };
      }
      case "additionalProperties": {
        const test = this.read(operand, location, depth + 1);
        const propertyNames = new Set(isObject(schema["properties"]) ? Object.keys(schema["properties"]) : []);
        return (value, path) => {
          if (!isObject(value)) return null;
          for (const [key, item] of Object.entries(value)) {
            const flaw = propertyNames.has(key) ? null : test(item, childPath(path, key));
            if (flaw !== null) return flaw;
          }
          return null;
        };
      }
      case "items": {
        const test = this.read(operand, location, depth + 1);
        return (value, path) => {
          if (!isList(value)) return null;
          for (const [index, item] of value.entries()) {
            const flaw = test(item, childPath(path, index));
            if (flaw !== null) return flaw;
          }
          return null;
        };
      }
      case "allOf":
        return firstOf(compileList());
      case "anyOf": {
        const tests = compileList();
        return (value, path) =>
          tests.some((test) => test(value, path) === null) ? null : `${path} is of none of the schemas of anyOf`;
      }
      case "oneOf": {
        const tests = compileList();
        return (value, path) => {
          const count = tests.filter((test) => test(value, path) === null).length;
          return count === 1 ? null : `${path} is of ${count} of the schemas of oneOf`;
        };
      }
      case "not": {
        const test = this.read(operand, location, depth + 1);
        return (value, path) => (test(value, path) === null ? `${path} is of the schema of not` : null);
      }
      case "pattern": {
        const pattern = this.#pattern(operand, location);
        return (value, path) =>
          typeof value !== "string" || pattern.matches(value) ? null : `${path} does not match its pattern`;
      }
      default:
        return this.#bound(keyword, operand, location);
    }
  }

  #pattern(operand: Json, location: string): Pattern {
    if (typeof operand !== "string" || operand.length > maxPatternLength) {
      throw new SchemaError(`${location} should be a text of at most ${maxPatternLength} characters`);
    }
    const pattern = compilePattern(operand);
    if (typeof pattern === "string") throw new SchemaError(`${location}: ${pattern}`);
    this.size += pattern.size;
    if (this.size > maxInstructions)
      throw new SchemaError(`its patterns are compiled to more than ${maxInstructions} instructions`);
    return pattern;
  }

  #bound(keyword: string, operand: Json, location: string): Test {
    const [measure, holds] = (Object.hasOwn(bounds, keyword) ? bounds[keyword] : undefined) ?? [];
    if (measure === undefined || holds === undefined) {
      throw new SchemaError(`${location} is not a supported keyword; $ref and format are not supported either`);
    }
    const bound = numberOf(operand);
    if (bound === undefined) throw new SchemaError(`${location} should be a number`);
    return (value, path) => {
      const measured = measure(value);
      return measured === undefined || holds(measured, bound)
        ? null
        : `${path}: ${keyword} is ${bound}, and it is ${measured}`;
    };
  }
}

/** A compiled JSON Schema; `size` is the number of compiled instructions of its regular expressions. */
export interface PreparedSchema {
  readonly size: number;
  /** Returns path and reason of the first error in a value, as a clause; null if the value is valid. */
  readonly flawOf: (value: Json) => string | null;
}

/**
 * Compiles a JSON Schema with the keywords for types, values, bounds, objects, arrays and combinations. References
 * are not supported, so that the cost of a validation is bounded by the size of schema and value.
 *
 * @returns the compiled schema, or a clause that describes the error in it.
 */
export const prepareSchema = (schema: JsonObject): PreparedSchema | string => {
  const reader = new SchemaCompiler();
  try {
    const test = reader.read(schema, "schema");
    return { size: reader.size, flawOf: (value) => test(value, "$") };
  } catch (error) {
    if (error instanceof SchemaError) return error.message;
    throw error;
  }
};
