import type { Pace } from "../question/ask.ts";
import { coverageOf } from "../verdict/coverage.ts";
import type { ConnectEmbed } from "../providers/embed.ts";
import { embedTexts } from "./embed-texts.ts";
import type { EmbeddingCache } from "./embedding-cache.ts";
import type { ComparedMetric, SessionMaterial } from "../metric.ts";
import { outcomeVerdict, withoutScore } from "../verdict/metric-verdict.ts";
import type { Circumstances } from "../verdict/score-metadata.ts";
import { together } from "../verdict/score-metadata.ts";
import type { Verdict } from "../verdict/verdict.ts";

/** Characters of a text that are embedded: models take about 8,000 tokens, and a character is one at most. */
const longestText = 8000;

/** What comparing takes. */
export interface Comparing {
  readonly connect: ConnectEmbed;
  readonly cache: EmbeddingCache;
  readonly pace: Pace;
}

const cut = (text: string): string => text.slice(0, longestText).toWellFormed();

const sum = (texts: readonly string[]): number => texts.reduce((total, { length }) => total + length, 0);

/** Scores a metric that compares texts; its expense is that of embedding those that are not remembered. */
export const compareTexts = async (
  metric: ComparedMetric,
  { connect, cache, pace }: Comparing,
  material: SessionMaterial,
  known: Omit<Circumstances, "coverage">,
  deadline: number,
): Promise<Verdict> => {
  const found = metric.texts(material);
  if ("value" in found) return outcomeVerdict(metric, found, { ...known, coverage: coverageOf(0, 0) });
  const texts = found.map(cut);
  const embedded = await embedTexts(connect, cache, texts, deadline, pace);
  const { model, expense } = embedded;
  const coverage = coverageOf(sum(texts), sum(found));
  const circumstances = { ...known, ...together(known, expense), model: model ?? known.model, coverage };
  if (embedded.kind === "vectors") {
    return outcomeVerdict(metric, metric.score(embedded.vectors, material), circumstances);
  }
  return withoutScore(embedded.code, embedded.message, embedded.retryAfter, circumstances);
};
