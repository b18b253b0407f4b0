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

/** An answer that fits its schema, or the code that says how it does not. */
type ReadAnswer<S extends AnswerSchema> =
  | { readonly kind: "fits"; readonly answer: Answer<S> }
  | { readonly kind: "misfit"; readonly code: FailureCode };

/** Servers without strict schemas like to put the JSON into a Markdown code block. */
const unwrapped = (text: string): string => /^\s*```(?:json)?\s*\n([\s\S]*)\n\s*```\s*$/u.exec(text)?.[1] ?? text;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(unwrapped(text));
  } catch {
    return undefined;
  }
};

/** Reads a judge's answer. Fields nobody asked for are dropped; nothing is repaired. A verdict may be none of the scale's. */
export const readAnswer = <S extends AnswerSchema>(schema: S, text: string): ReadAnswer<S> => {
  const result = safeParse(schema, parsed(text));
  if (result.success) return { kind: "fits", answer: result.output };
  const wrongVerdict = result.issues.every(
    (issue) => /(?:^|\.)verdict$/u.test(getDotPath(issue) ?? "") && ["string", "number"].includes(typeof issue.input),
  );
  return { kind: "misfit", code: wrongVerdict ? "judge_out_of_range" : "judge_malformed" };
};
