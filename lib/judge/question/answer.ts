import { isDeepStrictEqual } from "node:util";
import {
  getDescription,
  getDotPath,
  isOfType,
  safeParse,
  type ArraySchema,
  type GenericSchema,
  type InferOutput,
  type ObjectEntries,
  type ObjectSchema,
  type PicklistSchema,
} from "valibot";
import type { JsonObject } from "../../domain/json.ts";
import type { FailureCode } from "../../domain/scores/reason-codes.ts";
import { parseLenientJson, withoutZeroWidth } from "./lenient-json.ts";

/** Returns the index after the closing bracket of the JSON value at `start`; -1 if the value does not end. */
const endOfObject = (text: string, start: number): number => {
  let depth = 0;
  let isQuoted = false;
  for (let at = start; at < text.length; at += 1) {
    const sign = text[at];
    if (isQuoted) {
      if (sign === "\\") at += 1;
      else if (sign === '"') isQuoted = false;
    } else if (sign === '"') isQuoted = true;
    else if (sign === "{" || sign === "[") depth += 1;
    else if (sign === "}" || sign === "]") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
};

/** Beginning of a JSON object or array of objects; a brace in prose has no quote after it. */
const objectStart = /(?:\[\s*)?\{[\s\p{Cf}]*["}]/gu;

/** Removes a byte order mark and the reasoning before an answer; some models omit its opening `<think>` tag. */
const withoutThoughts = (text: string): string =>
  text.replace(/^\uFEFF/u, "").replace(/^[\s\S]*<\/think(?:ing)?>/u, "");

/** The only JSON object of a text, or a sentence that says why there is none. */
type OnlyObject =
  | { readonly kind: "object"; readonly value: object }
  | { readonly kind: "none"; readonly flaw: string };

const none = (flaw: string): OnlyObject => ({ kind: "none", flaw });

const hasFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** True for a JSON Schema of an object, also within the `response_format` of a request, which some models repeat. */
const isSchemaEcho = (value: unknown): boolean =>
  hasFields(value) &&
  ((value["type"] === "object" && hasFields(value["properties"])) ||
    isSchemaEcho(value["schema"]) ||
    isSchemaEcho(value["json_schema"]));

/**
 * Extracts the only top-level JSON object of a text, ignoring prose, code fences and reasoning around it, a repetition of the
 * schema, and copies of the same object. Without one it may be the only item of a list, or encoded as a string. A text with two objects
 * has no result.
 */
const onlyObject = (reply: string): OnlyObject => {
  const text = withoutThoughts(reply);
  let [result, hasEcho]: [object | null, boolean] = [null, false];
  const lists: unknown[][] = [];
  objectStart.lastIndex = 0;
  for (let match = objectStart.exec(text); match !== null; match = objectStart.exec(text)) {
    const end = endOfObject(text, match.index);
    if (end === -1) return none("It held a JSON object that does not end.");
    const value = parseLenientJson(text.slice(match.index, end));
    if (typeof value !== "object" || value === null) return none("It held an object that is not JSON.");
    if (isSchemaEcho(value)) hasEcho = true;
    else if (Array.isArray(value)) lists.push(value);
    else {
      if (result !== null && !isDeepStrictEqual(result, value)) return none("It held more than one JSON object.");
      result = value;
    }
    objectStart.lastIndex = end;
  }
  if (result !== null) return { kind: "object", value: result };
  const [item, ...others] = lists.flat();
  if (hasFields(item) && others.length === 0) return { kind: "object", value: item };
  const decoded = text.trimStart().startsWith('"') ? parseLenientJson(text) : null;
  if (typeof decoded === "string" && decoded !== text) return onlyObject(decoded);
  return none(hasEcho ? "It held the schema, and no answer." : "It held no JSON object.");
};

/** Schema of a judge's answer: an object of strings, picklists and arrays. */
export type AnswerSchema = ObjectSchema<ObjectEntries, undefined>;

/** Type of an answer that fits a schema. */
export type Answer<S extends AnswerSchema> = InferOutput<S>;

type Field =
  | AnswerSchema
  | ArraySchema<GenericSchema, undefined>
  | PicklistSchema<readonly string[], undefined>
  | GenericSchema;

const shapeOf = (field: Field): JsonObject => {
  if (isOfType("object", field)) {
    const entries = Object.entries(field.entries);
    return {
      type: "object",
      properties: Object.fromEntries(entries.map(([name, entry]) => [name, strictJsonSchema(entry)])),
      required: entries.map(([name]) => name),
      additionalProperties: false,
    };
  }
  if (isOfType("array", field)) return { type: "array", items: strictJsonSchema(field.item) };
  if (isOfType("picklist", field)) return { type: "string", enum: field.options };
  if (field.type === "string") return { type: "string" };
  throw new Error(`A judge's answer cannot have a field of type ${field.type}.`);
};

const cachedSchemas = new WeakMap<Field, JsonObject>();

/**
 * Returns the strict JSON schema of an answer. Fields keep their order: a model fills them in that order, so evidence and
 * reason come before the verdict. Descriptions are instructions to the model. The result is cached per schema.
 *
 * @throws Error for a schema type other than object, array, picklist and string.
 */
export const strictJsonSchema = (schema: Field): JsonObject => {
  const cachedSchema = cachedSchemas.get(schema);
  if (cachedSchema !== undefined) return cachedSchema;
  const description = getDescription(schema);
  const shape: JsonObject = {
    ...shapeOf(schema),
    ...(description === undefined ? {} : { description }),
  };
  cachedSchemas.set(schema, shape);
  return shape;
};

/** A parsed answer, or its first mismatch with the schema, as a code and as a sentence. */
type ReadAnswer<S extends AnswerSchema> =
  | { readonly kind: "fits"; readonly answer: Answer<S> }
  | { readonly kind: "misfit"; readonly code: FailureCode; readonly flaw: string };

/** A word, without the spaces, quotes, brackets, check marks, Markdown and punctuation of any script that models put around it. */
const core =
  /[^\uFE0F\s"'`*_~.,;:!。、\p{Ps}\p{Pe}\p{Pi}\p{Pf}\u2705\u2713\u2714\u2611](?:[^]*[^\uFE0F\s"'`*_~.,;:!。、\p{Ps}\p{Pe}\p{Pi}\p{Pf}\u2705\u2713\u2714\u2611])?/u;

/** Returns a text as it is compared: full-width characters count as the ordinary ones. */
const normalise = (text: string): string =>
  (core.exec(withoutZeroWidth(text).normalize("NFKC"))?.[0] ?? "").toLowerCase().replaceAll(/[\s-]+/gu, "_");

const truthWords: Readonly<Record<string, string>> = { true: "yes", false: "no" };

/**
 * Returns the only option that differs from a value in case, width, spaces, hyphens and what surrounds it, also as the only item of a list,
 * or that a truth value means; else the value.
 */
const pickOf = (options: readonly string[], value: unknown): unknown => {
  const item: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (options.some((option) => option === item)) return item;
  if (typeof item !== "string" && typeof item !== "boolean") return value;
  const text = normalise(String(item));
  if (text === "") return value;
  const meant = options.filter((option) => [text, truthWords[text]].includes(normalise(option)));
  return meant.length === 1 ? meant[0] : value;
};

/** Replaces picklist values by the option that they mean. */
const withNormalisedPicks = (field: Field, value: unknown): unknown => {
  if (isOfType("picklist", field)) return pickOf(field.options, value);
  if (isOfType("array", field))
    return Array.isArray(value) ? value.map((item: unknown) => withNormalisedPicks(field.item, item)) : value;
  if (!isOfType("object", field) || typeof value !== "object" || value === null) return value;
  const entries = new Map(Object.entries(field.entries));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]: [string, unknown]) => {
      const entry = entries.get(name);
      return [name, entry === undefined ? item : withNormalisedPicks(entry, item)];
    }),
  );
};

/** Returns the object within an object whose only field is none of the schema, such as `{"answer": {...}}`; null without one. */
const unwrapped = (schema: AnswerSchema, value: object): object | null => {
  const [[name, field] = ["", null], ...others] = Object.entries(value);
  if (others.length > 0 || Object.hasOwn(schema.entries, name)) return null;
  const content: unknown = typeof field === "string" ? parseLenientJson(field) : field;
  return hasFields(content) ? content : null;
};

/**
 * Parses a judge's answer: the only JSON object of its text, or the one within it. Unknown fields are dropped. A value outside a
 * picklist gives `judge_out_of_range`, every other mismatch `judge_malformed`.
 */
export const readAnswer = <S extends AnswerSchema>(schema: S, text: string): ReadAnswer<S> => {
  const parsed = onlyObject(text);
  if (parsed.kind === "none") return { kind: "misfit", code: "judge_malformed", flaw: parsed.flaw };
  const result = safeParse(schema, withNormalisedPicks(schema, unwrapped(schema, parsed.value) ?? parsed.value));
  if (result.success) return { kind: "fits", answer: result.output };
  const issues = result.issues.map((issue) => ({
    path: getDotPath(issue) ?? "",
    input: issue.input,
    type: issue.type,
  }));
  const areAllPicks = issues.every(
    ({ type, input }) => type === "picklist" && ["string", "number"].includes(typeof input),
  );
  const [{ path, input } = { path: "", input: undefined }] = issues;
  return {
    kind: "misfit",
    code: areAllPicks ? "judge_out_of_range" : "judge_malformed",
    flaw: input === undefined ? `It had no field "${path}".` : `It had a field "${path}" that does not fit the schema.`,
  };
};
