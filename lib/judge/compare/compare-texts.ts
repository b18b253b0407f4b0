import { unpricedMessage } from "../../domain/runs/spend.ts";
import {
  addTokens,
  failed,
  noTokens,
  shortestCall,
  type Embedding,
  type Failure,
  type Vector,
} from "../providers/provider.ts";
import type { ConnectEmbed } from "../providers/connections.ts";
import type { ComparedMetric, Inapplicable, SessionMaterial, Unrelated } from "../metric.ts";
import { costOf, type Price } from "../prices/price.ts";
import { bytesOfTexts } from "../spending/call-cost.ts";
import { fundsFor, type Asked } from "../spending/funds.ts";
import { unlimited } from "../spending/purse.ts";
import { noExpense, together, waitBeforeRetry, type Expense, type Pace } from "../question/ask.ts";
import { coverageOf } from "../transcript/coverage.ts";
import type { Provenance } from "../verdict/score-metadata.ts";
import { verdictOf, withoutAnswer, type Verdict } from "../verdict/verdict.ts";
import type { EmbeddingCache } from "./embedding-cache.ts";
import { shuffledPairs, type ComparedPair, type ProjectPairs } from "./project-pairs.ts";

/** Characters of a text that are embedded: models take about 8,000 tokens, and a character is one at most. */
const longestText = 8000;

/** What comparing texts takes. */
export interface ComparisonParts {
  readonly connect: ConnectEmbed;
  readonly cache: EmbeddingCache;
  readonly pace: Pace;
  /** By `<provider>/<model>`; null when it is not known. */
  readonly priceOf: (model: string) => Price | null;
  /** Shared by all targets of a worker. */
  readonly pairs: ProjectPairs;
}

/** What embedding some texts came to; `model` is null when none is configured. */
type EmbeddedTexts = { readonly expense: Expense } & (
  | { readonly kind: "vectors"; readonly model: string; readonly vectors: readonly Vector[] }
  | ({ readonly model: string | null } & ({ readonly kind: "unfunded" } | Failure))
);

/** An embedding has no answer of tokens. */
const noAnswer = { full: 0, short: 0, shortest: 0 };

const isUsable = (vectors: readonly Vector[], texts: number): boolean =>
  vectors.length === texts &&
  vectors.every((vector) => vector.length > 0 && vector.length === vectors[0]?.length && vector.every(Number.isFinite));

const checked = (reply: Embedding, texts: number): Embedding =>
  reply.kind === "vectors" && !isUsable(reply.vectors, texts)
    ? failed("judge_malformed", { message: "The embedding model's reply does not have a vector for each text." })
    : reply;

/** Embeds texts in one call, those left out that are remembered; once more when the failure may pass at once. */
const embedTexts = async (
  { connect, cache, pace, priceOf }: ComparisonParts,
  texts: readonly string[],
  { purse, deadline, hold }: Asked,
): Promise<EmbeddedTexts> => {
  const connection = await connect().catch(() => null);
  if (connection === null) {
    const message = "The settings of the embedding model could not be read.";
    return { ...failed("judge_unavailable", { message }), model: null, expense: noExpense };
  }
  if (!connection.ready) {
    return { ...failed("judge_auth", { message: connection.message }), model: null, expense: noExpense };
  }
  const { model, embed } = connection;
  const found = new Map(texts.map((text) => [text, cache.get(model, text)]));
  const missing = [...found.keys()].filter((text) => found.get(text) === undefined);
  if (missing.length === 0)
    return { kind: "vectors", model, vectors: texts.map((text) => found.get(text) ?? []), expense: noExpense };
  const price = priceOf(model);
  if (price === null && purse !== unlimited) {
    return { ...failed("judge_bad_request", { message: unpricedMessage(model) }), model, expense: noExpense };
  }
  const bytes = purse === unlimited ? 0 : bytesOfTexts(...missing);
  const funds = await fundsFor(purse, price, [bytes], noAnswer);
  if (funds === null) return { kind: "unfunded", model, expense: noExpense };
  hold(funds);
  const started = pace.now();
  let expense = noExpense;
  for (;;) {
    const left = deadline - pace.now();
    if (left < shortestCall) {
      const message = "There was no time left to ask the embedding model.";
      return { ...failed("judge_unavailable", { message }), model, expense };
    }
    const timeout = Math.min(pace.longestCall, left);
    funds.next();
    const call = funds.begin(() => bytes, 0, 0);
    if (call === null) return { kind: "unfunded", model, expense };
    const reply = checked(await embed({ texts: missing, timeout }), missing.length);
    const { attempts, tokens } = expense;
    const used = { ...noTokens, prompt: reply.kind === "vectors" ? reply.tokens : 0 };
    const cost = used.prompt > 0 || (reply.kind === "failure" && reply.free) ? costOf(used, price) : null;
    funds.end(call, cost);
    expense = {
      flexTokens: noTokens,
      attempts: attempts + 1,
      tokens: addTokens(tokens, used),
      latency: pace.now() - started,
      untold: expense.untold + (cost === null ? call.bound : 0),
    };
    if (reply.kind === "vectors") {
      for (const [index, text] of missing.entries()) {
        const vector = reply.vectors[index] ?? [];
        found.set(text, vector);
        cache.put(model, text, vector);
      }
      break;
    }
    const wait = attempts > 0 ? null : waitBeforeRetry(reply, deadline - pace.now(), pace.random());
    if (wait === null) return { ...reply, model, expense };
    await pace.sleep(wait);
  }
  return { kind: "vectors", model, vectors: texts.map((text) => found.get(text) ?? []), expense };
};

const cut = (text: string): string => text.slice(0, longestText).toWellFormed();

const sum = (texts: readonly string[]): number => texts.reduce((total, { length }) => total + length, 0);

/** Fewer pairs of the project than this tell nothing. */
const fewestPairs = 30;

/** What does not belong together: of the project where it has enough, else of the metric's reference. */
const unrelatedOf = (own: readonly ComparedPair[], reference: readonly ComparedPair[]): Unrelated => {
  const pairs = shuffledPairs(own);
  return pairs.length >= fewestPairs
    ? { source: "project", pairs }
    : { source: "reference", pairs: shuffledPairs(reference) };
};

const pairOf = ([first = "", second = ""]: readonly string[], vectors: readonly Vector[]): ComparedPair => ({
  texts: [first, second],
  vectors: [vectors[0] ?? [], vectors[1] ?? []],
});

/** A word count says nothing beside a real judge, and without a model nothing can be compared. */
const withoutModel = (message: string): Inapplicable => ({
  value: 1,
  inapplicable: "no_embedding_model",
  reason: `Does not apply: ${message}`,
  details: { note: "no_embedding_model" },
});

/**
 * Scores a metric that compares texts; its expense is that of embedding those that are not remembered.
 *
 * @param missing why texts cannot be compared here, as a sentence; null where they can.
 */
export const compareTexts = async (
  metric: ComparedMetric,
  parts: ComparisonParts,
  { project, missing, ...material }: SessionMaterial & { readonly project: string; readonly missing: string | null },
  known: Omit<Provenance, "coverage">,
  asked: Asked,
): Promise<Verdict> => {
  const found = metric.texts(material);
  if ("value" in found) return verdictOf(metric, found, { ...known, coverage: coverageOf(0, 0) });
  if (missing !== null) return verdictOf(metric, withoutModel(missing), { ...known, coverage: coverageOf(0, 0) });
  const texts = found.map(cut);
  const embedded = await embedTexts(parts, [...texts, ...metric.reference.flat()], asked);
  const { model, expense } = embedded;
  const coverage = coverageOf(sum(texts), sum(found));
  const provenance = { ...known, ...together(known, expense), model: model ?? known.model, coverage };
  if (embedded.kind !== "vectors") return withoutAnswer(embedded, provenance);
  const { vectors } = embedded;
  const own = vectors.slice(0, texts.length);
  const key = JSON.stringify([project, model, metric.name]);
  const reference = metric.reference.map((pair, index) => pairOf(pair, vectors.slice(texts.length + index * 2)));
  if (reference.length > 0) parts.pairs.add(key, pairOf(texts, own));
  const unrelated = unrelatedOf(parts.pairs.of(key), reference);
  return verdictOf(metric, metric.score(own, material, { model: embedded.model, unrelated }), provenance);
};
