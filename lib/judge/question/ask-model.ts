import { bytesOfTexts, pictureBytes, type ModelCallBudget } from "../spending/call-budget.ts";
import type { ServiceTier } from "../../domain/runs/tier.ts";
import { strictJsonSchema, readAnswer, type Answer, type AnswerSchema } from "./answer.ts";
import {
  failureOf,
  minCallTime,
  type Complete,
  type Completion,
  type Failure,
  type Picture,
} from "../providers/provider.ts";
import { addTokens, noTokens, type Tokens } from "../../prices/tokens.ts";
import { sentenceOf, type RetriedCode } from "../../domain/scores/reason-codes.ts";

/** Clock, sleep and randomness of model calls; tests inject their own. */
export interface CallTiming {
  /** Current time, epoch milliseconds. */
  readonly now: () => number;
  /** Resolves after the given milliseconds, or at once when the signal is aborted. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Returns a random number in [0, 1). */
  readonly random: () => number;
  /** Time-out of a single call, milliseconds. */
  readonly maxCallTime: number;
}

/** Calls, tokens and time that judging a pair took. A shared extraction counts for the pair that made the call alone. */
export interface Expense {
  readonly attempts: number;
  readonly tokens: Tokens;
  /** The part of `tokens` billed at the flex tier. */
  readonly flexTokens: Tokens;
  /** Milliseconds spent in calls, waits between them included. */
  readonly latency: number;
  /** Upper bound of the cost of calls without reported usage, US dollars; 0 without a spending ceiling. */
  readonly unreportedCost: number;
}

/** The expense of a judgement without calls. */
export const noExpense: Expense = {
  attempts: 0,
  tokens: noTokens,
  flexTokens: noTokens,
  latency: 0,
  unreportedCost: 0,
};

/** Adds two expenses. */
export const addExpenses = (a: Expense, b: Expense): Expense => ({
  attempts: a.attempts + b.attempts,
  tokens: addTokens(a.tokens, b.tokens),
  flexTokens: addTokens(a.flexTokens, b.flexTokens),
  latency: a.latency + b.latency,
  unreportedCost: a.unreportedCost + b.unreportedCost,
});

/** Computes a call's cost in US dollars, `flexTokens` of its tokens at the flex tier; null when the price is unknown. */
export type CostOfCall = (tokens: Tokens, flexTokens: Tokens) => number | null;

/** A complete question to a judge model, with its limits and budget. */
export interface Question<S extends AnswerSchema> {
  readonly complete: Complete;
  readonly model: string;
  /** Name of the answer's schema in the request. */
  readonly name: string;
  readonly system: string;
  /** The delimited transcript; empty for questions without it. */
  readonly record: string;
  /** Pictures of the transcript. */
  readonly pictures: readonly Picture[];
  readonly question: string;
  readonly answer: S;
  /** Describes what a well-formed answer lacks, as a sentence; null for a complete answer. */
  readonly findFlaw: (answer: Answer<S>) => string | null;
  /** Reasoning effort set by the operator; null for the model's default. */
  readonly effort: string | null;
  readonly callBudget: ModelCallBudget;
  /** Service tier of the first call; the retry uses the standard tier. */
  readonly tier: ServiceTier;
  readonly costOf: CostOfCall;
  /** Called with the question of the retry before it is sent, if its text differs from the first one. */
  readonly onRetry: (question: string) => void;
  /** Latest end of the calls, epoch milliseconds. */
  readonly deadline: number;
}

/** Outcome of a question after at most two calls, with their expense. */
export type QuestionOutcome<A> = { readonly expense: Expense } & (
  | { readonly kind: "answered"; readonly answer: A }
  /** Not called: the budget does not suffice for the call at present. */
  | { readonly kind: "unfunded" }
  | Pick<Failure, "kind" | "code" | "message" | "retryAfter" | "hints">
);

/** A checked reply. @property flaw sentence about an unusable answer, added to the retried question; null for none. */
type ReadReply<A> =
  | (Pick<Failure, "tokens" | "isFlex"> & { readonly kind: "read"; readonly answer: A; readonly isUnbilled: false })
  | (Failure & { readonly flaw: string | null });

const readReply = <S extends AnswerSchema>(
  { answer: schema, findFlaw }: Pick<Question<S>, "answer" | "findFlaw">,
  completion: Completion,
): ReadReply<Answer<S>> => {
  if (completion.kind === "failure") {
    return {
      ...completion,
      flaw: completion.code === "judge_truncated" ? "It was cut because it was too long." : null,
    };
  }
  const { tokens, text, isFlex = false } = completion;
  const reading = readAnswer(schema, text);
  if (reading.kind !== "fits") return { ...failureOf(reading.code, { tokens, isFlex }), flaw: reading.flaw };
  const flaw = findFlaw(reading.answer);
  if (flaw === null) return { kind: "read", answer: reading.answer, tokens, isFlex, isUnbilled: false };
  return {
    ...failureOf("judge_malformed", { tokens, isFlex, message: `${sentenceOf("judge_malformed")} ${flaw}` }),
    flaw,
  };
};

/** Longest wait for a retry in this process, milliseconds; after a longer wait the queue redelivers the message instead. */
const maxWait = 20_000;

/** Wait before a retry by failure code, milliseconds: `base` unless the provider requests a wait, plus up to `jitter` at random. */
const waits: Readonly<Record<RetriedCode, { readonly base: number; readonly jitter: number }>> = {
  judge_malformed: { base: 0, jitter: 0 },
  judge_truncated: { base: 0, jitter: 0 },
  judge_rate_limited: { base: 1000, jitter: 1000 },
  judge_unavailable: { base: 250, jitter: 500 },
};

const isRetried = (code: string): code is RetriedCode => Object.hasOwn(waits, code);

/**
 * Computes the milliseconds to wait before a failed call is retried in this process; null if it is not retried.
 *
 * @param timeLeft milliseconds until the deadline.
 * @param random random number in [0, 1) for the jitter: workers that failed together must not retry together.
 */
export const waitBeforeRetry = (
  { code, retryAfter }: Pick<Failure, "code" | "retryAfter">,
  timeLeft: number,
  random: number,
): number | null => {
  if (!isRetried(code) || (retryAfter ?? 0) > maxWait) return null;
  const wait = (retryAfter ?? waits[code].base) + Math.round(waits[code].jitter * random);
  return wait + minCallTime <= timeLeft ? wait : null;
};

/** Factors by which the retry of a cut answer raises the output token limit: the preferred factor, and the smallest worth a retry. */
const retryFactors = { max: 2, min: 1.25 } as const;

/** True if a billed call has no reported usage. */
const isUnreported = ({ tokens, isUnbilled }: Pick<Failure, "tokens" | "isUnbilled">): boolean =>
  !isUnbilled && tokens.prompt + tokens.completion === 0;

/** Returns the text of a retried question, which tells the model what was wrong with its first answer. */
const retryQuestion = (question: string, flaw: string | null): string =>
  flaw === null
    ? question
    : `${question}\n\nYou have answered this before, and the answer cannot be used. ${flaw} Answer with one JSON object that fits the schema, and nothing else.`;

const lazy = <Value>(compute: () => Value): (() => Value) => {
  let result: { readonly value: Value } | null = null;
  return () => (result ??= { value: compute() }).value;
};

/** Sends a question to a model, and once more after a transient failure or an unusable answer. */
export const askModel = async <S extends AnswerSchema>(
  {
    complete,
    model,
    name,
    system,
    record,
    pictures,
    question,
    answer,
    findFlaw,
    effort,
    callBudget,
    tier,
    costOf,
    onRetry,
    deadline,
  }: Question<S>,
  timing: CallTiming,
): Promise<QuestionOutcome<Answer<S>>> => {
  const schema = strictJsonSchema(answer);
  const fixedBytes = lazy(
    () => bytesOfTexts(system, record, question, JSON.stringify(schema)) + pictures.length * pictureBytes,
  );
  const startedAt = timing.now();
  let spent: Expense = noExpense;
  let { max: maxTokens, min: minTokens } = callBudget.lengths;
  let currentQuestion = question;
  let firstFailure: Failure | null = null;
  let currentTier = tier;
  callBudget.next();
  for (;;) {
    const timeLeft = deadline - timing.now();
    if (timeLeft < minCallTime) {
      const failure = failureOf("judge_unavailable", { message: "There was no time left to ask the judge." });
      return { ...failure, expense: spent };
    }
    const call = callBudget.begin(
      () => fixedBytes() + bytesOfTexts(currentQuestion.slice(question.length)),
      maxTokens,
      minTokens,
    );
    if (call === null) return { ...(firstFailure ?? { kind: "unfunded" }), expense: spent };
    const { outputTokens } = call;
    const timeout = Math.min(timing.maxCallTime, timeLeft);
    if (currentQuestion !== question) onRetry(currentQuestion);
    const reply = readReply(
      { answer, findFlaw },
      await complete({
        model,
        system,
        record,
        pictures,
        question: currentQuestion,
        schemaName: name,
        schema,
        outputTokens,
        tier: currentTier,
        effort,
        timeout,
      }),
    );
    const flexTokens = reply.isFlex ? reply.tokens : noTokens;
    const cost = isUnreported(reply) ? null : costOf(reply.tokens, flexTokens);
    callBudget.end(call, cost);
    spent = {
      attempts: spent.attempts + 1,
      tokens: addTokens(spent.tokens, reply.tokens),
      flexTokens: addTokens(spent.flexTokens, flexTokens),
      latency: timing.now() - startedAt,
      unreportedCost: spent.unreportedCost + (cost === null ? call.maxCost : 0),
    };
    if (reply.kind === "read") return { kind: "answered", answer: reply.answer, expense: spent };
    const wait = firstFailure === null ? waitBeforeRetry(reply, deadline - timing.now(), timing.random()) : null;
    if (wait === null) return { ...reply, expense: spent };
    firstFailure = reply;
    currentTier = "standard";
    currentQuestion = retryQuestion(question, reply.flaw);
    if (reply.code === "judge_truncated")
      [maxTokens, minTokens] = [retryFactors.max * outputTokens, retryFactors.min * outputTokens];
    await timing.sleep(wait);
  }
};
