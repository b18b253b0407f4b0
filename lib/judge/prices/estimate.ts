import { noTokens, type Tokens } from "../providers/provider.ts";
import { longestTranscript } from "../transcript/transcript.ts";
import { costOf, type Price } from "./price.ts";

/** What is known of a metric's questions without loading them. */
export interface PlannedMetric {
  /** Whether a judge is asked at all. */
  readonly method: "judge" | "compare";
  /** Whether its question is put with the transcript, or with notes alone. */
  readonly sees?: "record" | "notes";
  /** What is drawn from the trace beforehand, by name: a question of its own, put once for all metrics that need it. */
  readonly needs?: readonly string[];
}

/** What judging is expected to take. */
interface JudgingEstimate {
  readonly calls: number;
  readonly prompt: number;
  readonly completion: number;
}

/** English text has about 4 characters a token. */
const charactersPerToken = 4;
/** System message, question and schema of the answer have 3,400 to 4,500 characters. */
export const questionCharacters = 4800;
/** What was extracted and is shown again. */
const noteCharacters = 1500;
/** An answer is evidence, a reason of some sentences and a verdict; models that think first take more. */
const answerTokens = 600;

const promptOf = (record: number, notes: number): number =>
  Math.ceil((questionCharacters + record + notes * noteCharacters) / charactersPerToken);

/**
 * What all metrics of one target take together: a question for each, and one for each thing that they need. Metrics that turn
 * out not to apply take less; what is embedded is not counted.
 *
 * @param characters of the target's transcript.
 */
export const estimateTarget = (metrics: readonly PlannedMetric[], characters: number): JudgingEstimate => {
  const record = Math.min(characters, longestTranscript);
  const judged = metrics.filter(({ method }) => method === "judge");
  const needs = new Set(judged.flatMap((metric) => metric.needs ?? []));
  const prompts = [
    ...Array.from(needs, () => promptOf(record, 0)),
    ...judged.map((metric) => promptOf(metric.sees === "record" ? record : 0, metric.needs?.length ?? 0)),
  ];
  return {
    calls: prompts.length,
    prompt: prompts.reduce((sum, tokens) => sum + tokens, 0),
    completion: prompts.length * answerTokens,
  };
};

/** US dollars of an estimate, nothing of it from a cache; null when the price is not known. */
export const costOfEstimate = ({ prompt, completion }: JudgingEstimate, price: Price | null): number | null => {
  const tokens: Tokens = { ...noTokens, prompt, completion };
  return costOf(tokens, price);
};

/** What the dearest of these metrics costs for a target with the longest transcript, US dollars: no single pair should cost more. */
export const dearestPair = (metrics: readonly PlannedMetric[], price: Price): number =>
  Math.max(0, ...metrics.map((metric) => costOfEstimate(estimateTarget([metric], longestTranscript), price) ?? 0));
