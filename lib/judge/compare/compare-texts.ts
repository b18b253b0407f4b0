import { unpricedMessage } from "../../domain/runs/budget.ts";
import { failureOf, minCallTime, type Embedding, type Failure, type Vector } from "../providers/provider.ts";
import { noTokens, costOf, type Price, type Tokens } from "../../prices/price.ts";
import type { ConnectEmbed } from "../providers/connections.ts";
import type { ComparedMetric, InapplicableScore, SessionMaterial, UnrelatedPairs } from "../metric/metric.ts";
import { reserveModelCallBudget, type CallPermit, type JudgementContext } from "../spending/call-budget.ts";
import { sizeOfText, sumOfSizes, tokenPerByte } from "../spending/prompt-size.ts";
import { waitBeforeRetry } from "../question/ask-model.ts";
import { noExpense, addExpenses, type Expense } from "../spending/expense.ts";
import { type CallTiming } from "../question/call-timing.ts";
import { coverageOf } from "../transcript/transcript.ts";
import { isOfflineModel } from "../../domain/scores/score.ts";
import { type Provenance, verdictOf, unansweredVerdict, type Verdict } from "../verdict/verdict.ts";
import type { EmbeddingCache } from "./embedding-cache.ts";
import { shuffledPairs, type ComparedPair, type ProjectPairs } from "./project-pairs.ts";

/** Maximum characters of a text to embed: models accept about 8,000 tokens, and no character is assumed to take more than one token. */
const maxTextLength = 8000;

/** Returns the reason, a clause, why runs of a judge model cannot compare texts by embeddings; null if they can. */
export const embeddingModelProblem = (judge: string, embeddings: string | null): string | null => {
  if (embeddings === null) return "no embedding model is configured: the setting 'embeddingModel' names one.";
  return isOfflineModel(embeddings) && !isOfflineModel(judge)
    ? "the only embedding model here counts words, which says nothing beside a real judge: the setting 'embeddingModel' names one."
    : null;
};

/** Dependencies of text comparisons. */
export interface ComparisonDependencies {
  readonly connect: ConnectEmbed;
  readonly cache: EmbeddingCache;
  readonly timing: CallTiming;
  /** Returns the price of `<provider>/<model>`; null when it is unknown. */
  readonly priceOf: (model: string) => Price | null;
  /** Recent pairs of each project, shared by all targets of a worker. */
  readonly pairs: ProjectPairs;
}

/** Result of embedding texts; `model` is null when no embedding model is configured. */
type EmbeddedTexts = { readonly expense: Expense } & (
  | { readonly kind: "vectors"; readonly model: string; readonly vectors: readonly Vector[] }
  | ({ readonly model: string | null } & ({ readonly kind: "unfunded" } | Failure))
);

/** Output token limits of an embedding call, which has no output. */
const noAnswer = { max: 0, likely: 0, min: 0 };

const isUsable = (vectors: readonly Vector[], texts: number): boolean =>
  vectors.length === texts &&
  vectors.every((vector) => vector.length > 0 && vector.length === vectors[0]?.length && vector.every(Number.isFinite));

const checkVectors = (reply: Embedding, texts: number): Embedding =>
  reply.kind === "vectors" && !isUsable(reply.vectors, texts)
    ? failureOf("judge_malformed", { message: "The embedding model's reply does not have a vector for each text." })
    : reply;

/** Returns the tokens of a reply's usage. */
const embeddedTokens = (reply: Embedding): Tokens =>
  reply.kind === "vectors" ? { ...noTokens, prompt: reply.tokens } : reply.tokens;

/** Embeds the texts that are not cached in one call, with one retry after a transient failure. */
const embedTexts = async (
  { connect, cache, timing, priceOf }: ComparisonDependencies,
  texts: readonly string[],
  { budget, deadline, onReserved }: JudgementContext,
): Promise<EmbeddedTexts> => {
  const connection = await connect().catch(() => null);
  if (connection === null) {
    const message = "The settings of the embedding model could not be read.";
    return { ...failureOf("judge_unavailable", { message }), model: null, expense: noExpense };
  }
  if (!connection.ready) {
    return { ...failureOf("judge_auth", { message: connection.message }), model: null, expense: noExpense };
  }
  const { model, embed } = connection;
  const vectorsByText = new Map(texts.map((text) => [text, cache.get(model, text)]));
  const missing = [...vectorsByText.keys()].filter((text) => vectorsByText.get(text) === undefined);
  if (missing.length === 0)
    return { kind: "vectors", model, vectors: texts.map((text) => vectorsByText.get(text) ?? []), expense: noExpense };
  const price = priceOf(model);
  if (price === null && budget.isUnlimited !== true) {
    return { ...failureOf("judge_bad_request", { message: unpricedMessage(model) }), model, expense: noExpense };
  }
  const size = sumOfSizes(...missing.map(sizeOfText));
  const callBudget = await reserveModelCallBudget(budget, price, [size], noAnswer, tokenPerByte);
  if (callBudget === null) return { kind: "unfunded", model, expense: noExpense };
  onReserved(callBudget);
  const startedAt = timing.now();
  let expense = noExpense;
  for (;;) {
    const timeLeft = deadline - timing.now();
    if (timeLeft < minCallTime) {
      const message = "There was no time left to ask the embedding model.";
      return { ...failureOf("judge_unavailable", { message }), model, expense };
    }
    const timeout = Math.min(timing.maxCallTime, timeLeft);
    callBudget.next();
    const send = async (permit: CallPermit) => {
      const result = checkVectors(await embed({ texts: missing, timeout }, permit), missing.length);
      return { result, tokens: embeddedTokens(result), isUnbilled: result.kind === "failure" && result.isUnbilled };
    };
    const costOfCall = (tokens: Tokens): number | null => costOf(tokens, price);
    const paid = await callBudget.pay({ size: () => size, maxTokens: 0, minTokens: 0, costOf: costOfCall }, send);
    if (paid === null) return { kind: "unfunded", model, expense };
    const { attempts } = expense;
    expense = { ...addExpenses(expense, paid.expense), latency: timing.now() - startedAt };
    const { result: reply } = paid.reply;
    if (reply.kind === "vectors") {
      for (const [index, text] of missing.entries()) {
        const vector = reply.vectors[index] ?? [];
        vectorsByText.set(text, vector);
        cache.put(model, text, vector);
      }
      break;
    }
    const wait = attempts > 0 ? null : waitBeforeRetry(reply, deadline - timing.now(), timing.random());
    if (wait === null) return { ...reply, model, expense };
    await timing.sleep(wait);
  }
  return { kind: "vectors", model, vectors: texts.map((text) => vectorsByText.get(text) ?? []), expense };
};

const truncate = (text: string): string => text.slice(0, maxTextLength).toWellFormed();

const totalLength = (texts: readonly string[]): number => texts.reduce((total, { length }) => total + length, 0);

/** Minimum number of unrelated pairs for a baseline from the project's own traces. */
const minPairs = 30;

/** Returns unrelated pairs from the project's traces if there are enough, else from the metric's reference pairs. */
const unrelatedOf = (projectPairs: readonly ComparedPair[], reference: readonly ComparedPair[]): UnrelatedPairs => {
  const pairs = shuffledPairs(projectPairs);
  return pairs.length >= minPairs
    ? { source: "project", pairs }
    : { source: "reference", pairs: shuffledPairs(reference) };
};

const pairOf = ([first = "", second = ""]: readonly string[], vectors: readonly Vector[]): ComparedPair => ({
  texts: [first, second],
  vectors: [vectors[0] ?? [], vectors[1] ?? []],
});

/** Returns the fixed score of a comparison without a usable embedding model. */
const withoutModel = (message: string): InapplicableScore => ({
  value: 1,
  inapplicable: "no_embedding_model",
  reason: `Does not apply: ${message}`,
  details: { note: "no_embedding_model" },
});

/**
 * Computes the verdict of a metric that compares texts by their embeddings.
 *
 * @param missing reason why texts cannot be compared here, as a sentence; null if they can.
 * @param base provenance of the pair before any call.
 */
export const compareTexts = async (
  metric: ComparedMetric,
  parts: ComparisonDependencies,
  { project, missing, ...material }: SessionMaterial & { readonly project: string; readonly missing: string | null },
  base: Omit<Provenance, "coverage">,
  context: JudgementContext,
): Promise<Verdict> => {
  const textsOrScore = metric.texts(material);
  if ("value" in textsOrScore) return verdictOf(metric, textsOrScore, { ...base, coverage: coverageOf(0, 0) });
  if (missing !== null) return verdictOf(metric, withoutModel(missing), { ...base, coverage: coverageOf(0, 0) });
  const originalTexts = textsOrScore;
  const texts = originalTexts.map(truncate);
  const embeddedTexts = await embedTexts(parts, [...texts, ...metric.reference.flat()], context);
  const { model, expense } = embeddedTexts;
  const coverage = coverageOf(totalLength(texts), totalLength(originalTexts));
  const provenance = { ...base, ...addExpenses(base, expense), model: model ?? base.model, coverage };
  if (embeddedTexts.kind !== "vectors") return unansweredVerdict(embeddedTexts, provenance);
  const { vectors } = embeddedTexts;
  const ownVectors = vectors.slice(0, texts.length);
  const key = JSON.stringify([project, model, metric.name]);
  const reference = metric.reference.map((pair, index) => pairOf(pair, vectors.slice(texts.length + index * 2)));
  if (reference.length > 0) parts.pairs.add(key, pairOf(texts, ownVectors));
  const unrelated = unrelatedOf(parts.pairs.pairsOf(key), reference);
  return verdictOf(metric, metric.score(ownVectors, material, { model: embeddedTexts.model, unrelated }), provenance);
};
