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
import { onlyObject } from "./only-object.ts";

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
  const shape = { ...shapeOf(schema), ...(description === undefined ? {} : { description }) };
  cachedSchemas.set(schema, shape);
  return shape;
};

/** A parsed answer, or its first mismatch with the schema, as a code and as a sentence. */
type ReadAnswer<S extends AnswerSchema> =
  | { readonly kind: "fits"; readonly answer: Answer<S> }
  | { readonly kind: "misfit"; readonly code: FailureCode; readonly flaw: string };

const normalise = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/gu, "_");

/** Replaces picklist values by the option that differs only in case, spaces and hyphens. */
const withNormalisedPicks = (field: Field, value: unknown): unknown => {
  if (isOfType("picklist", field)) {
    return typeof value === "string"
      ? (field.options.find((option) => normalise(option) === normalise(value)) ?? value)
      : value;
  }
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

/**
 * Parses a judge's answer: the only JSON object of its text. Unknown fields are dropped, invalid JSON is not repaired. A value
 * outside a picklist gives `judge_out_of_range`, every other mismatch `judge_malformed`.
 */
export const readAnswer = <S extends AnswerSchema>(schema: S, text: string): ReadAnswer<S> => {
  const parsed = onlyObject(text);
  if (parsed.kind === "none") return { kind: "misfit", code: "judge_malformed", flaw: parsed.flaw };
  const result = safeParse(schema, withNormalisedPicks(schema, parsed.value));
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
