import { failed, noTokens, type Embedding, type Failure, type Vector } from "../providers/provider.ts";
import type { ConnectEmbed } from "../providers/connections.ts";
import type { ComparedMetric, SessionMaterial } from "../metric.ts";
import { shortestCall, together, waitBeforeRetry, type Expense, type Pace } from "../question/ask.ts";
import { coverageOf } from "../transcript/coverage.ts";
import type { Provenance } from "../verdict/score-metadata.ts";
import { verdictOf, withoutScore, type Verdict } from "../verdict/verdict.ts";
import type { EmbeddingCache } from "./embedding-cache.ts";

/** Characters of a text that are embedded: models take about 8,000 tokens, and a character is one at most. */
const longestText = 8000;

/** What comparing texts takes. */
export interface ComparisonParts {
  readonly connect: ConnectEmbed;
  readonly cache: EmbeddingCache;
  readonly pace: Pace;
}

/** What embedding some texts came to; `model` is null when none is configured. */
type EmbeddedTexts = { readonly model: string | null; readonly expense: Expense } & (
  | { readonly kind: "vectors"; readonly vectors: readonly Vector[] }
  | Failure
);

const noExpense: Expense = { attempts: 0, tokens: noTokens, latency: 0 };

const isUsable = (vectors: readonly Vector[], texts: number): boolean =>
  vectors.length === texts &&
  vectors.every((vector) => vector.length > 0 && vector.length === vectors[0]?.length && vector.every(Number.isFinite));

const checked = (reply: Embedding, texts: number): Embedding =>
  reply.kind === "vectors" && !isUsable(reply.vectors, texts)
    ? failed("judge_malformed", { message: "The embedding model's reply does not have a vector for each text." })
    : reply;

/** Embeds texts in one call, those left out that are remembered; once more when the failure may pass at once. */
const embedTexts = async (
  { connect, cache, pace }: ComparisonParts,
  texts: readonly string[],
  deadline: number,
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
  const started = pace.now();
  let expense = noExpense;
  while (missing.length > 0) {
    const left = deadline - pace.now();
    if (left < shortestCall) {
      const message = "There was no time left to ask the embedding model.";
      return { ...failed("judge_unavailable", { message }), model, expense };
    }
    const timeout = Math.min(pace.longestCall, left);
    const reply = checked(await embed({ texts: missing, timeout }), missing.length);
    const { attempts, tokens } = expense;
    const prompt = tokens.prompt + (reply.kind === "vectors" ? reply.tokens : 0);
    expense = { attempts: attempts + 1, tokens: { ...tokens, prompt }, latency: pace.now() - started };
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

/** Scores a metric that compares texts; its expense is that of embedding those that are not remembered. */
export const compareTexts = async (
  metric: ComparedMetric,
  parts: ComparisonParts,
  material: SessionMaterial,
  known: Omit<Provenance, "coverage">,
  deadline: number,
): Promise<Verdict> => {
  const found = metric.texts(material);
  if ("value" in found) return verdictOf(metric, found, { ...known, coverage: coverageOf(0, 0) });
  const texts = found.map(cut);
  const embedded = await embedTexts(parts, texts, deadline);
  const { model, expense } = embedded;
  const coverage = coverageOf(sum(texts), sum(found));
  const provenance = { ...known, ...together(known, expense), model: model ?? known.model, coverage };
  return embedded.kind === "vectors"
    ? verdictOf(metric, metric.score(embedded.vectors, material), provenance)
    : withoutScore(embedded, provenance);
};
