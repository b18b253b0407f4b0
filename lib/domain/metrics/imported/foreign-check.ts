import { isObject, type Json, type JsonObject } from "../../json.ts";
import { flagOf, ImportError, numberOf, nonBlankText, thresholdKeys, type ExportedFields } from "./fields.ts";

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

/** Matches a template that stands for the evaluated output. */
const outputTemplate = /^\{\{\s{0,9}(?:sample\.)?(?:output|output_text|output_json)\s{0,9}\}\}$/u;

/** Matches a template that stands for a field of an item, or for a variable of a test case. */
const itemTemplate = /^\{\{\s{0,9}(?:(?:item|vars)\.)?([\w-]{1,80})\s{0,9}\}\}$/u;

/** Matches names of fields that hold what the agent is asked, not what it is to answer. */
const inputName = /^(?:input|question|query|prompt|instruction|messages?|task|context)/iu;

const isOutput = (value: Json): true | null => (outputTemplate.test(nonBlankText(value)?.trim() ?? "") ? true : null);

/** Returns the name of the field of an item that a value stands for; null for other values. */
const itemFieldOf = (value: Json): string | null => {
  const name = isOutput(value) === null ? itemTemplate.exec(nonBlankText(value)?.trim() ?? "")?.[1] : undefined;
  return name === undefined || inputName.test(name) ? null : name;
};

/** Reads what the output is compared with: the field of an item is the expected output. */
const comparand = (fields: ExportedFields, ...keys: readonly string[]): JsonObject =>
  fields.first(keys, itemFieldOf) === null ? { text: literal(fields, ...keys) } : { reference: "expected_output" };

const contains = (comparison: JsonObject, ignoreCase = false): JsonObject => ({
  type: "contains",
  ...comparison,
  ...(ignoreCase && { ignore_case: true }),
});

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`);

const matches = (pattern: string, ignoreCase = false): JsonObject => ({
  type: "matches",
  pattern,
  ...(ignoreCase && { ignore_case: true }),
});

const equals = (comparison: JsonObject): JsonObject => ({ type: "equals", ...comparison });

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

/** Reads what a grader compares the output with. @param isSymmetric true if the output may be in the place of the reference. */
const graderComparand = (fields: ExportedFields, isSymmetric: boolean): JsonObject => {
  if (fields.first(["input"], isOutput) !== null) return comparand(fields, "reference");
  const isReference = fields.first(["reference"], isOutput) !== null;
  if (isReference && isSymmetric) return comparand(fields, "input");
  if (isReference && fields.first(["input"], itemFieldOf) !== null)
    return { of: "expected_output", reference: "output" };
  throw new ImportError("it does not look at the output alone");
};

const stringCheck = (fields: ExportedFields): JsonObject => {
  const operation = fields.first(["operation"], nonBlankText);
  const comparison = graderComparand(fields, operation === "eq" || operation === "ne");
  const checks: Readonly<Record<string, () => JsonObject>> = {
    eq: () => equals(comparison),
    ne: () => ({ not: equals(comparison) }),
    like: () => contains(comparison),
    ilike: () => contains(comparison, true),
  };
  const check = Object.hasOwn(checks, operation ?? "") ? checks[operation ?? ""] : undefined;
  if (check === undefined) throw new ImportError(`its operation is not one of ${Object.keys(checks).join(", ")}`);
  return check();
};

const textSimilarity = (fields: ExportedFields): JsonObject => {
  if (fields.first(["evaluation_metric"], nonBlankText) !== "fuzzy_match")
    throw new ImportError("its evaluation_metric is not fuzzy_match, and a condition counts the share of edits alone");
  const similarity = fields.first(thresholdKeys, numberOf);
  if (similarity === null) throw new ImportError("it has no threshold");
  return { type: "similarity_at_least", ...graderComparand(fields, true), similarity };
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
    [operator]: literals(fields, "value").map((text) => contains({ text }, ignoreCase)),
  });

const equality = (fields: ExportedFields): JsonObject => {
  const expected = fields.first(["value", "expected"], (value) =>
    isObject(value) || Array.isArray(value) ? value : null,
  );
  return expected === null ? equals(comparand(fields, "value", "expected")) : json({ const: expected });
};

/** Reads the check of each type of deterministic metric. Types are written as keys. */
const readers: Readonly<Record<string, (fields: ExportedFields) => JsonObject>> = {
  contains: (fields) => contains(comparand(fields, "value")),
  icontains: (fields) => contains(comparand(fields, "value"), true),
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
  textsimilarity: textSimilarity,
  cost: (fields) => ({ type: "cost_usd", ...maximum(fields) }),
  latency: (fields) => ({ type: "latency_ms", ...maximum(fields) }),
  trajectorytoolused: (fields) => ({
    all: literals(fields, "value").map((tool) => ({ type: "required_tool", tool })),
  }),
};

/** A deterministic metric of another tool as a check. */
interface ForeignCheck {
  readonly check: JsonObject;
  /** Field of an item that is the expected output; null if the check compares with none. */
  readonly itemField: string | null;
}

/** Fields of other tools that change the output before it is looked at. */
const transformKeys = ["transform", "contextTransform"] as const;

/**
 * Reads a deterministic metric of another tool as a check.
 *
 * @param type key of the metric's type.
 * @returns null if no check corresponds to the type.
 * @throws ImportError with a clause whose subject is the metric.
 */
export const foreignCheck = (type: string, fields: ExportedFields): ForeignCheck | null => {
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined;
  if (read === undefined) return null;
  if (fields.first(transformKeys, nonBlankText) !== null)
    throw new ImportError("it transforms the output by code before it looks at it");
  const check = read(fields);
  return { check, itemField: fields.first(["reference", "input", "value", "expected"], itemFieldOf) };
};
