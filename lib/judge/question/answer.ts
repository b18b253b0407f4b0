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

/** The shape of a judge's answer: an object of texts, picks and lists. */
export type AnswerSchema = ObjectSchema<ObjectEntries, undefined>;

/** What an answer of a schema holds. */
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

const made = new WeakMap<Field, JsonObject>();

/**
 * The strict JSON schema of an answer, fields in the order they are written: a model fills them in that order, so evidence
 * and reason come before the verdict. Descriptions are the model's instructions for a field. Made once for each schema.
 *
 * @throws Error for a kind of schema that no answer uses yet.
 */
export const strictJsonSchema = (schema: Field): JsonObject => {
  const known = made.get(schema);
  if (known !== undefined) return known;
  const description = getDescription(schema);
  const shape = { ...shapeOf(schema), ...(description === undefined ? {} : { description }) };
  made.set(schema, shape);
  return shape;
};

/** An answer that fits its schema, or how it does not: as a code and as a sentence. */
type ReadAnswer<S extends AnswerSchema> =
  | { readonly kind: "fits"; readonly answer: Answer<S> }
  | { readonly kind: "misfit"; readonly code: FailureCode; readonly flaw: string };

const folded = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/gu, "_");

/** A value with its picks written as their options are: case, spaces and hyphens say nothing. */
const withPicks = (field: Field, value: unknown): unknown => {
  if (isOfType("picklist", field)) {
    return typeof value === "string"
      ? (field.options.find((option) => folded(option) === folded(value)) ?? value)
      : value;
  }
  if (isOfType("array", field))
    return Array.isArray(value) ? value.map((item: unknown) => withPicks(field.item, item)) : value;
  if (!isOfType("object", field) || typeof value !== "object" || value === null) return value;
  const entries = new Map(Object.entries(field.entries));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]: [string, unknown]) => {
      const entry = entries.get(name);
      return [name, entry === undefined ? item : withPicks(entry, item)];
    }),
  );
};

/**
 * Reads a judge's answer: the one object of its text. Fields nobody asked for are dropped; nothing is repaired. A verdict may
 * be none of those that can be picked.
 */
export const readAnswer = <S extends AnswerSchema>(schema: S, text: string): ReadAnswer<S> => {
  const found = onlyObject(text);
  if (found.kind === "none") return { kind: "misfit", code: "judge_malformed", flaw: found.flaw };
  const result = safeParse(schema, withPicks(schema, found.value));
  if (result.success) return { kind: "fits", answer: result.output };
  const wrong = result.issues.map((issue) => ({ path: getDotPath(issue) ?? "", input: issue.input, type: issue.type }));
  const wrongVerdict = wrong.every(
    ({ type, input }) => type === "picklist" && ["string", "number"].includes(typeof input),
  );
  const [{ path, input } = { path: "", input: undefined }] = wrong;
  return {
    kind: "misfit",
    code: wrongVerdict ? "judge_out_of_range" : "judge_malformed",
    flaw: input === undefined ? `It had no field "${path}".` : `It had a field "${path}" that does not fit the schema.`,
  };
};
