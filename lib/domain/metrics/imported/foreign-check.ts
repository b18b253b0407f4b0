import { isObject, type Json, type JsonObject } from "../../json.ts";
import { flagOf, ImportError, numberOf, nonBlankText, type ExportedFields } from "./fields.ts";

/** Matches references to a value that the other tool fills in: a template, or a file. */
const filledIn = /\{\{|^(?:file|package):/u;

/** Reads a text to compare with. @throws ImportError for a text that is filled in from elsewhere. */
const literalOf = (value: Json): string | null => {
  const text = typeof value === "boolean" ? null : (nonBlankText(value) ?? numberOf(value)?.toString() ?? null);
  if (text !== null && filledIn.test(text))
    throw new ImportError(
      `it compares with "${text.slice(0, 60)}", which a test case or a file fills in and a trace does not have`,
    );
  return text;
};

const literal = (fields: ExportedFields, ...keys: readonly string[]): string => {
  const text = fields.first(keys, literalOf);
  if (text === null) throw new ImportError(`it has no text in ${keys.join(" or ")}`);
  return text;
};

/** Reads a list of texts, or a text with commas. */
const literals = (fields: ExportedFields, ...keys: readonly string[]): readonly string[] => {
  const texts = fields.first(keys, (value) => {
    const items: readonly Json[] = Array.isArray(value) ? value : (nonBlankText(value)?.split(",") ?? []);
    return items.map((item) => {
      const text = literalOf(typeof item === "string" ? item.trim() : item);
      if (text === null) throw new ImportError("its list has a value that is not a text");
      return text;
    });
  });
  if (texts === null || texts.length === 0) throw new ImportError(`it has no texts in ${keys.join(" or ")}`);
  return texts;
};

const contains = (text: string, ignoreCase = false): JsonObject => ({
  type: "contains",
  text,
  ...(ignoreCase && { ignore_case: true }),
});

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`);

const matches = (pattern: string, ignoreCase = false): JsonObject => ({
  type: "matches",
  pattern,
  ...(ignoreCase && { ignore_case: true }),
});

/** Equality as containment and length, which needs no pattern. */
const equals = (text: string): JsonObject => {
  const length = Array.from(text).length;
  return { all: [contains(text), { type: "length", min: length, max: length }] };
};

const json = (schema: JsonObject | null): JsonObject => ({ type: "json", ...(schema !== null && { schema }) });

/** Reads a JSON Schema, also one written as text. */
const schemaOf = (value: Json): JsonObject | null => {
  if (isObject(value)) return value;
  const text = literalOf(value);
  if (text === null) return null;
  try {
    const parsed: Json = JSON.parse(text);
    return isObject(parsed) ? parsed : null;
  } catch {
    throw new ImportError("its schema is not JSON");
  }
};

const maximum = (fields: ExportedFields): JsonObject => {
  const max = fields.first(["threshold"], numberOf);
  if (max === null) throw new ImportError("it has no threshold");
  return { max };
};

/** Matches a template that stands for the evaluated output. */
const outputTemplate = /^\{\{\s{0,9}(?:sample\.)?(?:output|output_text|output_json)\s{0,9}\}\}$/u;

const stringCheck = (fields: ExportedFields): JsonObject => {
  const operation = fields.first(["operation"], nonBlankText);
  const isOutput = (value: Json): true | null => (outputTemplate.test(nonBlankText(value)?.trim() ?? "") ? true : null);
  const inputIsOutput = fields.first(["input"], isOutput) !== null;
  const isSymmetric = operation === "eq" || operation === "ne";
  if (!inputIsOutput && !(isSymmetric && fields.first(["reference"], isOutput) !== null))
    throw new ImportError("it does not look at the output alone");
  const text = literal(fields, inputIsOutput ? "reference" : "input");
  const checks: Readonly<Record<string, () => JsonObject>> = {
    eq: () => equals(text),
    ne: () => ({ not: equals(text) }),
    like: () => contains(text),
    ilike: () => contains(text, true),
  };
  const check = Object.hasOwn(checks, operation ?? "") ? checks[operation ?? ""] : undefined;
  if (check === undefined) throw new ImportError(`its operation is not one of ${Object.keys(checks).join(", ")}`);
  return check();
};

/** DeepEval compares the whole output, without the blanks around it, unless it searches. */
const patternMatch = (fields: ExportedFields): JsonObject => {
  const pattern = literal(fields, "pattern").trim();
  const isSearch = fields.first(["match_mode"], (value) => (value === "search" ? true : null)) !== null;
  const ignoreCase = fields.first(["ignore_case", "ignoreCase"], flagOf) === true;
  return matches(isSearch ? pattern : String.raw`^\s*(?:${pattern})\s*$`, ignoreCase);
};

const listOf =
  (operator: "all" | "any", ignoreCase: boolean) =>
  (fields: ExportedFields): JsonObject => ({
    [operator]: literals(fields, "value").map((text) => contains(text, ignoreCase)),
  });

const equality = (fields: ExportedFields): JsonObject => {
  const expected = fields.first(["value", "expected"], (value) =>
    isObject(value) || Array.isArray(value) ? value : null,
  );
  return expected === null ? equals(literal(fields, "value", "expected")) : json({ const: expected });
};

/** Reads the check of each type of deterministic metric. Types are written as keys. */
const readers: Readonly<Record<string, (fields: ExportedFields) => JsonObject>> = {
  contains: (fields) => contains(literal(fields, "value")),
  icontains: (fields) => contains(literal(fields, "value"), true),
  containsall: listOf("all", false),
  icontainsall: listOf("all", true),
  containsany: listOf("any", false),
  icontainsany: listOf("any", true),
  equals: equality,
  startswith: (fields) => matches(`^${escaped(literal(fields, "value"))}`),
  endswith: (fields) => matches(`${escaped(literal(fields, "value"))}$`),
  regex: (fields) => matches(literal(fields, "value")),
  patternmatch: patternMatch,
  isjson: (fields) => json(fields.first(["value", "schema"], schemaOf)),
  validjson: (fields) => json(fields.first(["schema"], schemaOf)),
  jsoncorrectness: (fields) => json(fields.first(["expected_schema", "expectedSchema"], schemaOf)),
  stringcheck: stringCheck,
  cost: (fields) => ({ type: "cost_usd", ...maximum(fields) }),
  latency: (fields) => ({ type: "latency_ms", ...maximum(fields) }),
  trajectorytoolused: (fields) => ({
    all: literals(fields, "value").map((tool) => ({ type: "required_tool", tool })),
  }),
};

/** Fields of other tools that change the output before it is looked at. */
const transformKeys = ["transform", "contextTransform"] as const;

/**
 * Reads a deterministic metric of another tool as a check.
 *
 * @param type key of the metric's type.
 * @returns null if no check corresponds to the type.
 * @throws ImportError with a clause whose subject is the metric.
 */
export const foreignCheck = (type: string, fields: ExportedFields): JsonObject | null => {
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined;
  if (read === undefined) return null;
  if (fields.first(transformKeys, nonBlankText) !== null)
    throw new ImportError("it transforms the output by code before it looks at it");
  return read(fields);
};
