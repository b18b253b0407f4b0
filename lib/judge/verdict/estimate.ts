import { strictJsonSchema } from "../question/answer-schema.ts";
import { noTokens, type Tokens } from "../providers/completion.ts";
import type { Extraction, JudgedMetric, Metric } from "../metric.ts";
import { costOf, type Price } from "../prices/price.ts";
import { systemMessage } from "../question/prompt.ts";

/** What judging is expected to take. */
export interface JudgingEstimate {
  readonly calls: number;
  readonly prompt: number;
  readonly completion: number;
}

/** Characters of a transcript at most. */
export const longestTranscript = 60_000;

/** English text has about 4 characters a token. */
const charactersPerToken = 4;
/** An answer is evidence, a reason of some sentences and a verdict; models that think first take more. */
const answerTokens = 600;
/** What was extracted and is shown again. */
const noteCharacters = 1500;

const systemCharacters = systemMessage("0".repeat(32)).length;

const isJudged = (metric: Metric): metric is JudgedMetric => metric.method === "judge";

const promptOf = (
  { question, answer }: Pick<Extraction, "question" | "answer">,
  record: number,
  notes: number,
): number => {
  const schema = JSON.stringify(strictJsonSchema(answer)).length;
  return Math.ceil(
    (systemCharacters + record + notes * noteCharacters + question.length + schema) / charactersPerToken,
  );
};

const estimated = (prompts: readonly number[]): JudgingEstimate => ({
  calls: prompts.length,
  prompt: prompts.reduce((sum, tokens) => sum + tokens, 0),
  completion: prompts.length * answerTokens,
});

/**
 * What all metrics of one target take together: a question for each, and one for each thing that they need. Metrics that turn
 * out not to apply take less; what is embedded is not counted.
 *
 * @param characters of the target's document.
 */
export const estimateTarget = (metrics: readonly Metric[], characters: number): JudgingEstimate => {
  const record = Math.min(characters, longestTranscript);
  const judged = metrics.filter(isJudged);
  const needs = new Map(judged.flatMap((metric) => metric.needs.map((need) => [need.name, need])));
  return estimated([
    ...[...needs.values()].map((need) => promptOf(need, record, 0)),
    ...judged.map((metric) => promptOf(metric, metric.sees === "record" ? record : 0, metric.needs.length)),
  ]);
};

/** US dollars of an estimate, nothing of it from a cache; null when the price is not known. */
export const costOfEstimate = ({ prompt, completion }: JudgingEstimate, price: Price | null): number | null => {
  const tokens: Tokens = { ...noTokens, prompt, completion };
  return costOf(tokens, price);
};

/** What the dearest of these metrics costs for a target with the longest transcript, US dollars: no single pair should cost more. */
export const dearestPair = (metrics: readonly Metric[], price: Price): number =>
  Math.max(0, ...metrics.map((metric) => costOfEstimate(estimateTarget([metric], longestTranscript), price) ?? 0));
