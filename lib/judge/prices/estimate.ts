import { noTokens, type Tokens } from "../providers/provider.ts";
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
export interface JudgingEstimate {
  readonly calls: number;
  readonly prompt: number;
  readonly completion: number;
}

/** What some judgements of a metric by a model took, and what their transcripts had. */
export interface UsedLately {
  readonly calls: number;
  readonly prompt: number;
  readonly completion: number;
  /** Characters that the judge was shown. */
  readonly shown: number;
}

/** System message, question and schema of the answer have 4,300 to 6,700 characters of English, 4.4 to a token. */
export const questionCharacters = 6800;
const questionTokens = Math.ceil(questionCharacters / 4.4);
/** Characters of what was extracted and is shown again. */
const noteCharacters = 1500;
/** An answer is evidence, a sentence and a yes or no to each statement; models that think first take more. */
const answerTokens = 600;

/** Calls after which what was used counts as much as what was reckoned. */
const trusted = 5;
/** A mean is never believed further than this: what was judged lately may have been of another kind. */
const farthest = 4;

/** How many times what was reckoned a model really took, the more believed the more calls there were. */
const correction = (used: number, reckoned: number, calls: number): number => {
  if (reckoned <= 0 || used <= 0) return 1;
  const factor = Math.min(farthest, Math.max(1 / farthest, used / reckoned));
  return (factor * calls + trusted) / (calls + trusted);
};

/** A transcript: its tokens as reckoned, and characters. */
export interface ShownRecord {
  readonly tokens: number;
  readonly characters: number;
}

/** What the questions of a metric are likely to take, corrected by what they took lately. */
const estimateMetric = (metric: PlannedMetric, record: ShownRecord, lately: UsedLately | undefined) => {
  const needs = metric.needs?.length ?? 0;
  const shown = metric.sees === "record" ? record.tokens : 0;
  const prompt = questionTokens + shown + Math.ceil((needs * noteCharacters) / 3.3);
  if (lately === undefined || lately.calls === 0) return { prompt, completion: answerTokens };
  const { calls, shown: characters } = lately;
  const perCharacter = record.characters === 0 ? 1 / 3.3 : record.tokens / record.characters;
  const reckoned = calls * questionTokens + characters * perCharacter;
  return {
    prompt: Math.ceil(prompt * correction(lately.prompt, reckoned, calls)),
    completion: Math.ceil(answerTokens * correction(lately.completion, calls * answerTokens, calls)),
  };
};

/**
 * What all metrics of one target are likely to take together: a question for each, and one for each thing that they need.
 * Metrics that turn out not to apply take less; what is embedded is not counted.
 *
 * @param lately what judgements took, by the metric's name.
 */
export const estimateTarget = (
  metrics: ReadonlyMap<string, PlannedMetric>,
  record: ShownRecord,
  lately: ReadonlyMap<string, UsedLately> = new Map(),
): JudgingEstimate => {
  const judged = [...metrics].filter(([, { method }]) => method === "judge");
  const needs = new Set(judged.flatMap(([, metric]) => metric.needs ?? []));
  const each = [
    ...Array.from(needs, () => estimateMetric({ method: "judge", sees: "record" }, record, undefined)),
    ...judged.map(([name, metric]) => estimateMetric(metric, record, lately.get(name))),
  ];
  return {
    calls: each.length,
    prompt: each.reduce((sum, { prompt }) => sum + prompt, 0),
    completion: each.reduce((sum, { completion }) => sum + completion, 0),
  };
};

/** Bytes of the prompts of a metric's questions. @param record bytes of the transcript. */
export const promptBytes = (metric: PlannedMetric, record: number): readonly number[] => {
  if (metric.method !== "judge") return [];
  const needs = metric.needs ?? [];
  const own = questionCharacters + (metric.sees === "record" ? record : 0) + needs.length * noteCharacters;
  return [...needs.map(() => questionCharacters + record), own];
};

/** US dollars of an estimate, nothing of it from a cache; null when the price is not known. */
export const costOfEstimate = ({ prompt, completion }: JudgingEstimate, price: Price | null): number | null => {
  const tokens: Tokens = { ...noTokens, prompt, completion };
  return costOf(tokens, price);
};
