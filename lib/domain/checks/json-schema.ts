import { isObject, toDouble, type Json, type JsonObject } from "../json.ts";
import { longestPattern, mostInstructions, patternOf, type Pattern } from "./pattern.ts";

/** Places of a schema, and how deep they nest. */
const [mostPlaces, deepest] = [200, 12] as const;

/** Values that `enum` lists. */
const mostChoices = 100;

/** Where a value is not of a schema, and why, as a clause; null where it is. */
type Flaw = string | null;
type Test = (value: Json, path: string) => Flaw;

/** What is wrong with a schema. */
class SchemaFlaw extends Error {}

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

/** Whether two values say the same; ends where they part. */
const isSame = (a: Json, b: Json): boolean => {
  if (isList(a)) return isList(b) && a.length === b.length && a.every((item, place) => isSame(item, b[place] ?? null));
  if (isObject(a)) {
    const keys = Object.keys(a);
    return (
      isObject(b) &&
      keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && isSame(a[key] ?? null, b[key] ?? null))
    );
  }
  return toDouble(a) === toDouble(b);
};

const shown = (value: Json): string => {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
};

const within = (path: string, key: string | number): string =>
  typeof key === "number" ? `${path}[${key}]` : `${path}.${key.length > 40 ? `${key.slice(0, 40)}...` : key}`;

/** The first flaw there is. */
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

/** What a keyword bounds; undefined of a value that it does not speak of. */
type Measure = (value: Json) => number | undefined;

const amount: Measure = (value) => {
  const given = toDouble(value);
  return typeof given === "number" ? given : undefined;
};
const lengthOf: Measure = (value) => (typeof value === "string" ? characters(value) : undefined);
const itemsOf: Measure = (value) => (isList(value) ? value.length : undefined);
const propertiesOf: Measure = (value) => (isObject(value) ? Object.keys(value).length : undefined);

const atLeast = (is: number, bound: number): boolean => is >= bound;
const atMost = (is: number, bound: number): boolean => is <= bound;

const bounds: Readonly<Record<string, readonly [Measure, (is: number, bound: number) => boolean]>> = {
  minimum: [amount, atLeast],
  maximum: [amount, atMost],
  exclusiveMinimum: [amount, (is, bound) => is > bound],
  exclusiveMaximum: [amount, (is, bound) => is < bound],
  minLength: [lengthOf, atLeast],
  maxLength: [lengthOf, atMost],
  minItems: [itemsOf, atLeast],
  maxItems: [itemsOf, atMost],
  minProperties: [propertiesOf, atLeast],
  maxProperties: [propertiesOf, atMost],
};

/** Keywords that say something to a reader alone. */
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

class Reader {
  places = 0;
  size = 0;

  /** @throws SchemaFlaw */
  read(schema: Json | undefined, at: string, depth = 0): Test {
    this.places += 1;
    if (this.places > mostPlaces) throw new SchemaFlaw(`it has more than ${mostPlaces} schemas`);
    if (depth > deepest) throw new SchemaFlaw(`it is nested deeper than ${deepest} levels`);
    if (schema === true) return () => null;
    if (schema === false) return (_, path) => `${path} must not be there`;
    if (!isObject(schema)) throw new SchemaFlaw(`${at} is no schema`);
    return firstOf(
      Object.entries(schema)
        .filter(([keyword]) => !annotations.has(keyword))
        .map(([keyword, given]) => this.#keyword(keyword, given, schema, at, depth)),
    );
  }

  #keyword(keyword: string, given: Json, schema: JsonObject, at: string, depth: number): Test {
    const place = `${at}.${keyword}`;
    const wrong = (what: string): SchemaFlaw => new SchemaFlaw(`${place} should be ${what}`);
    const inner = (): readonly Test[] => {
      if (!isList(given) || given.length === 0) throw wrong("a list of schemas");
      return given.map((each, index) => this.read(each, `${place}[${index}]`, depth + 1));
    };
    switch (keyword) {
      case "type": {
        const names = isList(given) ? given : [given];
        const tests = names.map((name) => {
          const test = typeof name === "string" && Object.hasOwn(types, name) ? types[name] : undefined;
          if (test === undefined) throw wrong(`one of ${Object.keys(types).join(", ")}, or a list of them`);
          return test;
        });
        const named = names.filter((name) => typeof name === "string").join(" or ");
        return (value, path) => (tests.some((test) => test(value)) ? null : `${path} is not of type ${named}`);
      }
      case "const":
        return (value, path) => (isSame(given, value) ? null : `${path} is not ${shown(given)}`);
      case "enum": {
        if (!isList(given) || given.length > mostChoices) throw wrong(`a list of at most ${mostChoices} values`);
        return (value, path) =>
          given.some((each) => isSame(each, value)) ? null : `${path} is none of ${shown(given)}`;
      }
      case "required": {
        const keys = isList(given) ? given.filter((key) => typeof key === "string") : [];
        if (!isList(given) || keys.length !== given.length || keys.length > mostChoices) {
          throw wrong(`a list of at most ${mostChoices} names`);
        }
        return (value, path) => {
          const missing = isObject(value) ? keys.find((key) => !Object.hasOwn(value, key)) : undefined;
          return missing === undefined ? null : `${within(path, missing)} is missing`;
        };
      }
      case "properties": {
        if (!isObject(given)) throw wrong("an object of schemas");
        const tests = Object.entries(given).map(
          ([key, each]) => [key, this.read(each, within(place, key), depth + 1)] as const,
        );
        return (value, path) => {
          if (!isObject(value)) return null;
          for (const [key, test] of tests) {
            const flaw = Object.hasOwn(value, key) ? test(value[key] ?? null, within(path, key)) : null;
            if (flaw !== null) return flaw;
          }
          return null;
        };
      }
      case "additionalProperties": {
        const test = this.read(given, place, depth + 1);
        const named = new Set(isObject(schema["properties"]) ? Object.keys(schema["properties"]) : []);
        return (value, path) => {
          if (!isObject(value)) return null;
          for (const [key, each] of Object.entries(value)) {
            const flaw = named.has(key) ? null : test(each, within(path, key));
            if (flaw !== null) return flaw;
          }
          return null;
        };
      }
      case "items": {
        const test = this.read(given, place, depth + 1);
        return (value, path) => {
          if (!isList(value)) return null;
          for (const [index, each] of value.entries()) {
            const flaw = test(each, within(path, index));
            if (flaw !== null) return flaw;
          }
          return null;
        };
      }
      case "allOf":
        return firstOf(inner());
      case "anyOf": {
        const tests = inner();
        return (value, path) =>
          tests.some((test) => test(value, path) === null) ? null : `${path} is of none of the schemas of anyOf`;
      }
      case "oneOf": {
        const tests = inner();
        return (value, path) => {
          const count = tests.filter((test) => test(value, path) === null).length;
          return count === 1 ? null : `${path} is of ${count} of the schemas of oneOf`;
        };
      }
      case "not": {
        const test = this.read(given, place, depth + 1);
        return (value, path) => (test(value, path) === null ? `${path} is of the schema of not` : null);
      }
      case "pattern": {
        const pattern = this.#pattern(given, place);
        return (value, path) =>
          typeof value !== "string" || pattern.isIn(value) ? null : `${path} does not match its pattern`;
      }
      default:
        return this.#bound(keyword, given, place);
    }
  }

  #pattern(given: Json, place: string): Pattern {
    if (typeof given !== "string" || given.length > longestPattern) {
      throw new SchemaFlaw(`${place} should be a text of at most ${longestPattern} characters`);
    }
    const pattern = patternOf(given);
    if (typeof pattern === "string") throw new SchemaFlaw(`${place}: ${pattern}`);
    this.size += pattern.size;
    if (this.size > mostInstructions)
      throw new SchemaFlaw(`its patterns are compiled to more than ${mostInstructions} instructions`);
    return pattern;
  }

  #bound(keyword: string, given: Json, place: string): Test {
    const [of, holds] = (Object.hasOwn(bounds, keyword) ? bounds[keyword] : undefined) ?? [];
    if (of === undefined || holds === undefined) {
      throw new SchemaFlaw(`${place} is no keyword that checks know; $ref and format are none`);
    }
    const bound = amount(given);
    if (bound === undefined) throw new SchemaFlaw(`${place} should be a number`);
    return (value, path) => {
      const is = of(value);
      return is === undefined || holds(is, bound) ? null : `${path}: ${keyword} is ${bound}, and it is ${is}`;
    };
  }
}

/** A schema that is ready: what is wrong with a value, and how many instructions its patterns have. */
export interface PreparedSchema {
  readonly size: number;
  /** Where and why, as a clause; null where the value is of the schema. */
  readonly flawOf: (value: Json) => string | null;
}

/**
 * A schema of JSON Schema's keywords for types, values, bounds, objects, arrays and combinations. There are no references, so
 * that what looking at a value takes is bounded by the two sizes. @returns what is wrong with it, as a clause.
 */
export const preparedSchema = (schema: JsonObject): PreparedSchema | string => {
  const reader = new Reader();
  try {
    const test = reader.read(schema, "schema");
    return { size: reader.size, flawOf: (value) => test(value, "$") };
  } catch (error) {
    if (error instanceof SchemaFlaw) return error.message;
    throw error;
  }
};
