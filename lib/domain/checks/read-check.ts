import { hasAtMost } from "../text.ts";
import { isObject, toDouble, type Json, type JsonObject } from "../json.ts";
import {
  absentResults,
  maxCheckDepth,
  maxTextLength,
  maxConditions,
  references,
  textParts,
  type Check,
  type Condition,
} from "./check.ts";
import { maxPatternLength, maxInstructions } from "./pattern.ts";
import { conditionTypes, prepareCondition } from "./prepare-condition.ts";

/** An error in a check: its path and a message. */
export interface CheckFlaw {
  readonly path: readonly (string | number)[];
  readonly msg: string;
}

/** Maximum characters of a JSON Schema, serialized. */
const maxSchemaLength = 8000;

type Path = CheckFlaw["path"];
type Flaws = CheckFlaw[];

/** Reads a field of a condition and appends errors to `flaws`. */
type Field = (value: Json | undefined, path: Path, flaws: Flaws) => Json;

const field =
  (fallback: Json | undefined, flawOf: (value: Json) => string | null): Field =>
  (value, path, flaws) => {
    const fieldValue = value === undefined || value === null ? fallback : toDoubleJson(value);
    if (fieldValue === undefined) flaws.push({ path, msg: "Field required" });
    else if (fieldValue !== fallback) {
      const flaw = flawOf(fieldValue);
      if (flaw !== null) flaws.push({ path, msg: flaw });
    }
    return fieldValue ?? null;
  };

const toDoubleJson = (value: Json): Json => {
  const double = toDouble(value);
  return typeof double === "number" ? double : value;
};

const text = (max: number, fallback?: Json): Field =>
  field(fallback, (value) =>
    typeof value === "string" && value !== "" && hasAtMost(value, max)
      ? null
      : `Input should be a text of 1 to ${max} characters`,
  );

const choice = (options: readonly string[], fallback: Json): Field =>
  field(fallback, (value) =>
    typeof value === "string" && options.includes(value) ? null : `Input should be one of ${options.join(", ")}`,
  );

const flag = field(false, (value) => (typeof value === "boolean" ? null : "Input should be a valid boolean"));

const number = (min: number, max: number, fallback: Json = null): Field =>
  field(fallback, (value) =>
    typeof value === "number" && value >= min && value <= max ? null : `Input should be a number from ${min} to ${max}`,
  );

const absentField = choice(absentResults, null);

const schema = field(null, (value) => {
  if (!isObject(value)) return "Input should be a valid dictionary";
  return JSON.stringify(value).length > maxSchemaLength
    ? `Input should have at most ${maxSchemaLength} characters as JSON`
    : null;
});

const textSelector = { of: choice(textParts, "output"), span: text(maxTextLength, null) };
const comparand = { text: text(maxTextLength, null) };
const [textMatch, reference] = [{ ...comparand, ignore_case: flag }, choice(references, null)] as const;
const bounds = (max: number) => ({ min: number(0, max), max: number(0, max) });
const [maxCount, maxAmount] = [1_000_000, 1e12] as const;

/** Fields of each condition type. */
const fields: Readonly<Record<Condition["type"], Readonly<Record<string, Field>>>> = {
  matches: { ...textSelector, pattern: text(maxPatternLength), ignore_case: flag },
  contains: { ...textSelector, ...textMatch, reference },
  lacks: { ...textSelector, ...textMatch, reference },
  equals: { ...textSelector, ...comparand, reference },
  equals_ignoring_case: { ...textSelector, ...comparand, reference },
  json_equals: { ...textSelector, ...comparand, reference },
  similarity_at_least: { ...textSelector, ...comparand, similarity: number(0, 1), reference },
  length: { ...textSelector, ...bounds(maxAmount) },
  json: { ...textSelector, schema },
  latency_ms: bounds(maxAmount),
  cost_usd: bounds(maxAmount),
  tokens: bounds(maxAmount),
  tool_calls: { tool: text(maxTextLength, null), ...bounds(maxCount) },
  required_tool: { tool: text(maxTextLength) },
  tool_before: { tool: text(maxTextLength), before: text(maxTextLength) },
  error_rate: { over: choice(["spans", "tools"], "spans"), ...bounds(1) },
  retries: { tool: text(maxTextLength, null), ...bounds(maxCount) },
  documents_cited: { min: number(0, maxCount, 1), min_share: number(0, 1, 0) },
};

const isType = (value: string): value is Condition["type"] => Object.hasOwn(fields, value);

class CheckReader {
  readonly flaws: Flaws = [];
  #conditions = 0;
  #instructions = 0;

  read(value: Json | undefined, path: Path, depth = 1): Check {
    // Placeholder for an invalid check; never returned to callers, because reading an invalid check reports an error.
    const placeholderCheck: Check = { all: [] };
    const reportFlaw = (msg: string, at: Path = path): Check => {
      this.flaws.push({ path: at, msg });
      return placeholderCheck;
    };
    if (!isObject(value)) return reportFlaw("Input should be a valid dictionary");
    if (depth > maxCheckDepth) return reportFlaw(`Checks nest at most ${maxCheckDepth} deep`);
    const kinds = ["all", "any", "not", "type"].filter((key) => value[key] !== undefined);
    const [kind] = kinds;
    if (kind === undefined || kinds.length > 1)
      return reportFlaw("Input should have exactly one of all, any, not, type");
    if (kind === "type") return this.#condition(value, path) ?? placeholderCheck;
    this.#unknown(value, [kind], path);
    if (kind === "not") return { not: this.read(value["not"], [...path, "not"], depth + 1) };
    const list = value[kind];
    if (!Array.isArray(list) || list.length === 0)
      return reportFlaw("List should have at least 1 item", [...path, kind]);
    if (list.length > maxConditions)
      return reportFlaw(`List should have at most ${maxConditions} items`, [...path, kind]);
    const parts = list.map((item: Json, index) => this.read(item, [...path, kind, index], depth + 1));
    return kind === "all" ? { all: parts } : { any: parts };
  }

  #unknown(value: JsonObject, allowedKeys: readonly string[], path: Path): void {
    for (const key of Object.keys(value)) {
      if (!allowedKeys.includes(key))
        this.flaws.push({ path: [...path, key], msg: `Unknown field. Allowed fields: ${allowedKeys.join(", ")}` });
    }
  }

  #condition(value: JsonObject, path: Path): Condition | null {
    const { type } = value;
    if (typeof type !== "string" || !isType(type)) {
      this.flaws.push({ path: [...path, "type"], msg: `Input should be one of ${conditionTypes.join(", ")}` });
      return null;
    }
    this.#conditions += 1;
    if (this.#conditions === maxConditions + 1) {
      this.flaws.push({ path, msg: `A check has at most ${maxConditions} conditions` });
    }
    if (this.#conditions > maxConditions) return null;
    const flawCount = this.flaws.length;
    this.#unknown(value, ["type", ...Object.keys(fields[type]), "absent"], path);
    const absent = absentField(value["absent"], [...path, "absent"], this.flaws);
    const fieldValues = Object.fromEntries(
      Object.entries(fields[type])
        .map(([key, readField]) => [key, readField(value[key], [...path, key], this.flaws)] as const)
        // Checks of earlier builds have no reference, and stay the same ones.
        .filter(([key, fieldValue]) => key !== "reference" || fieldValue !== null),
    );
    this.#bounds(fieldValues, path);
    this.#comparand(fieldValues, path);
    if (this.flaws.length > flawCount) return null;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each field was read by the table of its type.
    const condition = { type, ...fieldValues, ...(absent !== null && { absent }) } as unknown as Condition;
    this.#prepare(condition, path);
    return condition;
  }

  #bounds({ min, max }: JsonObject, path: Path): void {
    if (min === undefined || max === undefined) return;
    if (min === null && max === null) this.flaws.push({ path: [...path, "min"], msg: "Give min, max or both" });
    if (typeof min === "number" && typeof max === "number" && min > max) {
      this.flaws.push({ path: [...path, "max"], msg: "Input should be at least min" });
    }
  }

  #comparand({ text: fixedText, reference: referenceValue, similarity }: JsonObject, path: Path): void {
    if (similarity === null) this.flaws.push({ path: [...path, "similarity"], msg: "Field required" });
    if (fixedText !== undefined && (fixedText === null) === (referenceValue === undefined))
      this.flaws.push({ path: [...path, "text"], msg: "Give either text or reference" });
  }

  #prepare(condition: Condition, path: Path): void {
    if (this.#instructions > maxInstructions) return;
    const prepared = prepareCondition(condition);
    const at = [...path, condition.type === "json" ? "schema" : "pattern"];
    if (typeof prepared === "string") {
      this.flaws.push({ path: at, msg: `Input cannot be used: ${prepared}` });
      return;
    }
    this.#instructions += prepared.instructions;
    if (this.#instructions > maxInstructions) {
      const msg = `The patterns of a check are compiled to at most ${maxInstructions} instructions, all together: shorten them, or their repetitions`;
      this.flaws.push({ path: at, msg });
    }
  }
}

/** Parses and validates a check; its depth, its number of conditions and the cost of its patterns are limited. */
export const readCheck = (
  value: Json | undefined,
): { readonly check: Check; readonly flaws: null } | { readonly check: null; readonly flaws: readonly CheckFlaw[] } => {
  const reader = new CheckReader();
  const check = reader.read(value, []);
  return reader.flaws.length === 0 ? { check, flaws: null } : { check: null, flaws: reader.flaws };
};
