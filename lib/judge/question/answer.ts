import { getDotPath, safeParse } from "valibot";
import type { Answer, AnswerSchema } from "./answer-schema.ts";

/** An answer that fits its schema, or how it does not. */
export type ReadAnswer<S extends AnswerSchema> =
  | { readonly kind: "fits"; readonly answer: Answer<S> }
  | { readonly kind: "malformed" }
  /** A verdict was given, but it is none of the scale's. */
  | { readonly kind: "out_of_range" };

/** Servers without strict schemas like to put a Markdown fence around the JSON. */
const unwrapped = (text: string): string => /^\s*```(?:json)?\s*\n([\s\S]*)\n\s*```\s*$/u.exec(text)?.[1] ?? text;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(unwrapped(text));
  } catch {
    return undefined;
  }
};

/** Reads a judge's answer. Fields nobody asked for are dropped; nothing is repaired. */
export const readAnswer = <S extends AnswerSchema>(schema: S, text: string): ReadAnswer<S> => {
  const result = safeParse(schema, parsed(text));
  if (result.success) return { kind: "fits", answer: result.output };
  const wrongVerdict = result.issues.every(
    (issue) => /(?:^|\.)verdict$/u.test(getDotPath(issue) ?? "") && ["string", "number"].includes(typeof issue.input),
  );
  return { kind: wrongVerdict ? "out_of_range" : "malformed" };
};
