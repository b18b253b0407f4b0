import { readAnswer } from "./answer.ts";
import { strictJsonSchema, type Answer, type AnswerSchema } from "./answer-schema.ts";
import { addTokens, noTokens, type Complete, type Completion, type Tokens } from "../providers/completion.ts";
import { shortestCall, waitBeforeRetry } from "./retry.ts";
import type { Expense } from "../verdict/score-metadata.ts";
import type { FailureCode } from "../verdict/verdict.ts";

/** Time and chance, injected: tests have their own. */
export interface Pace {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Resolves after so many milliseconds, or at once when the signal is aborted. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** The longest a single call may take, milliseconds. */
  readonly longestCall: number;
}

/** A question in full. */
export interface Ask<S extends AnswerSchema> {
  readonly complete: Complete;
  readonly model: string;
  readonly name: string;
  readonly system: string;
  /** Empty where the question does without the transcript. */
  readonly record: string;
  readonly question: string;
  readonly answer: S;
  /** Epoch milliseconds. */
  readonly deadline: number;
}

/** What a question came to after at most two calls. */
export type Asked<A> = { readonly expense: Expense } & (
  | { readonly kind: "answered"; readonly answer: A }
  | {
      readonly kind: "failed";
      readonly code: FailureCode;
      readonly message: string;
      readonly retryAfter: number | null;
    }
);

type Reading<A> =
  | { readonly kind: "read"; readonly answer: A; readonly tokens: Tokens }
  | (Completion & { kind: "failure" });

const unusable = {
  malformed: { code: "judge_malformed", message: "The judge's answer is not of the form that was asked for." },
  out_of_range: { code: "judge_out_of_range", message: "The judge's verdict is not on the scale." },
} as const;

const reading = <S extends AnswerSchema>(schema: S, completion: Completion): Reading<Answer<S>> => {
  if (completion.kind === "failure") return completion;
  const { tokens } = completion;
  const read = readAnswer(schema, completion.text);
  if (read.kind === "fits") return { kind: "read", answer: read.answer, tokens };
  return { kind: "failure", ...unusable[read.kind], retryAfter: null, tokens };
};

/** Asks a model, and once more when the failure is one that may pass at once. The only retry there is. */
export const ask = async <S extends AnswerSchema>(given: Ask<S>, pace: Pace): Promise<Asked<Answer<S>>> => {
  const { complete, model, name, system, record, question: text, answer, deadline } = given;
  const schema = strictJsonSchema(answer);
  const started = pace.now();
  let tokens = noTokens;
  for (let attempts = 1; ; attempts += 1) {
    const left = deadline - pace.now();
    const spent = (made: number): Expense => ({ attempts: made, tokens, latency: pace.now() - started });
    if (left < shortestCall) {
      const message = "There was no time left to ask the judge.";
      return { kind: "failed", code: "judge_unavailable", message, retryAfter: null, expense: spent(attempts - 1) };
    }
    const timeout = Math.min(pace.longestCall, left);
    const call = { model, system, record, question: text, schemaName: name, schema, timeout };
    const reply = reading(answer, await complete(call));
    tokens = addTokens(tokens, reply.tokens);
    if (reply.kind === "read") return { kind: "answered", answer: reply.answer, expense: spent(attempts) };
    const wait = attempts > 1 ? null : waitBeforeRetry(reply, deadline - pace.now(), pace.random());
    if (wait === null) {
      const { code, message, retryAfter } = reply;
      return { kind: "failed", code, message, retryAfter, expense: spent(attempts) };
    }
    await pace.sleep(wait);
  }
};
