import { strictJsonSchema, readAnswer, type Answer, type AnswerSchema } from "./answer.ts";
import {
  addTokens,
  failed,
  noTokens,
  type Complete,
  type Completion,
  type Failure,
  type Tokens,
} from "../providers/provider.ts";
import { sentenceOf, type RetriedCode } from "../../domain/scores/reason-codes.ts";

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

/** What judging a pair took. Calls, tokens and time of a shared extraction count for the pair that made the call, 0 for the others. */
export interface Expense {
  readonly attempts: number;
  readonly tokens: Tokens;
  /** Milliseconds spent in calls, waits between them included. */
  readonly latency: number;
}

/** The sum of two expenses. */
export const together = (a: Expense, b: Expense): Expense => ({
  attempts: a.attempts + b.attempts,
  tokens: addTokens(a.tokens, b.tokens),
  latency: a.latency + b.latency,
});

/** A question in full. */
export interface Question<S extends AnswerSchema> {
  readonly complete: Complete;
  readonly model: string;
  /** Name of the answer's schema. */
  readonly name: string;
  readonly system: string;
  /** Empty where the question does without the transcript. */
  readonly record: string;
  readonly question: string;
  readonly answer: S;
  /** What an answer of the right form lacks, as a sentence; null where it is whole. */
  readonly flaw: (answer: Answer<S>) => string | null;
  /** Epoch milliseconds. */
  readonly deadline: number;
}

/** What a question came to after at most two calls, and what they took. */
export type QuestionOutcome<A> = { readonly expense: Expense } & (
  | { readonly kind: "answered"; readonly answer: A }
  | Pick<Failure, "kind" | "code" | "message" | "retryAfter">
);

type ReadReply<A> = { readonly kind: "read"; readonly answer: A; readonly tokens: Tokens } | Failure;

const readReply = <S extends AnswerSchema>(
  { answer: schema, flaw }: Pick<Question<S>, "answer" | "flaw">,
  completion: Completion,
): ReadReply<Answer<S>> => {
  if (completion.kind === "failure") return completion;
  const { tokens, text } = completion;
  const read = readAnswer(schema, text);
  if (read.kind !== "fits") return failed(read.code, { tokens });
  const lacks = flaw(read.answer);
  return lacks === null
    ? { kind: "read", answer: read.answer, tokens }
    : failed("judge_malformed", { tokens, message: `${sentenceOf("judge_malformed")} ${lacks}` });
};

/** A provider that asks for a longer wait gets it from the queue: a worker does not sit and wait. */
const longestWait = 20_000;

/** A call with less time than this (milliseconds) is not worth making. */
export const shortestCall = 1000;

/** Waits when the provider asks for none, and what chance adds to them. */
const waits: Readonly<Record<RetriedCode, { readonly least: number; readonly jitter: number }>> = {
  judge_malformed: { least: 0, jitter: 0 },
  judge_rate_limited: { least: 1000, jitter: 1000 },
  judge_unavailable: { least: 250, jitter: 500 },
};

const isRetried = (code: string): code is RetriedCode => Object.hasOwn(waits, code);

/**
 * Milliseconds to wait before a failed call is made once more in this process, or null when it is not.
 *
 * @param left milliseconds until the deadline.
 * @param random a number in [0, 1), the jitter: workers that failed together must not come back together.
 */
export const waitBeforeRetry = (
  { code, retryAfter }: Pick<Failure, "code" | "retryAfter">,
  left: number,
  random: number,
): number | null => {
  if (!isRetried(code) || (retryAfter ?? 0) > longestWait) return null;
  const wait = (retryAfter ?? waits[code].least) + Math.round(waits[code].jitter * random);
  return wait + shortestCall <= left ? wait : null;
};

/** Asks a model, and once more when the failure is one that may pass at once. The only retry there is. */
export const ask = async <S extends AnswerSchema>(
  { complete, model, name, system, record, question, answer, flaw, deadline }: Question<S>,
  pace: Pace,
): Promise<QuestionOutcome<Answer<S>>> => {
  const schema = strictJsonSchema(answer);
  const started = pace.now();
  let tokens = noTokens;
  for (let attempts = 1; ; attempts += 1) {
    const left = deadline - pace.now();
    const spent = (made: number): Expense => ({ attempts: made, tokens, latency: pace.now() - started });
    if (left < shortestCall) {
      const late = failed("judge_unavailable", { message: "There was no time left to ask the judge." });
      return { ...late, expense: spent(attempts - 1) };
    }
    const timeout = Math.min(pace.longestCall, left);
    const reply = readReply(
      { answer, flaw },
      await complete({ model, system, record, question, schemaName: name, schema, timeout }),
    );
    tokens = addTokens(tokens, reply.tokens);
    if (reply.kind === "read") return { kind: "answered", answer: reply.answer, expense: spent(attempts) };
    const wait = attempts > 1 ? null : waitBeforeRetry(reply, deadline - pace.now(), pace.random());
    if (wait === null) return { ...reply, expense: spent(attempts) };
    await pace.sleep(wait);
  }
};
