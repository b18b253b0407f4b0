import { isDecisionModel } from "../../domain/runs/model.ts";
import { costOf, priceOfPrompt, type Price } from "../../prices/price.ts";

/** Properties of a metric's questions that an estimate needs, known without loading the metric. */
export interface PlannedMetric {
  /** Method of the metric: `judge` calls a judge model, `compare` calls an embedding model. */
  readonly method: "judge" | "compare";
  /** Material of the question: `record` is the transcript with notes, `notes` are the notes alone. */
  readonly sees?: "record" | "notes";
  /** Names of the extractions asked first; each is one question, shared by all metrics that need it. */
  readonly needs?: readonly string[];
  /** True if a decision model judges the metric in a call of its own, since it is about a part of the trace alone. */
  readonly isAlone?: boolean;
  /** True if the question has the expected output in its notes. */
  readonly usesExpectedOutput?: boolean;
}

/** Estimated model calls and tokens of judging traces. */
export interface JudgingEstimate {
  readonly calls: number;
  readonly prompt: number;
  readonly completion: number;
  /** Part of the prompt that is read from the provider's cache: the system message and the transcript in each question about a target after the first. */
  readonly cached: number;
  /** Part of the prompt that is written to that cache: the same in the first question. */
  readonly written: number;
}

/** Calls and tokens of recent judgements of a metric by a model, and the length of their transcripts. */
export interface RecentUsage {
  readonly calls: number;
  readonly prompt: number;
  readonly completion: number;
  /** Characters shown to the judge, summed over the calls. */
  readonly shown: number;
}

/** Characters of system message, question and schema: 4,300 to 6,700 of English text, 4.4 per token. */
export const questionCharacters = 6800;
const questionTokens = Math.ceil(questionCharacters / 4.4);
/** Tokens of the system message, which stands before the transcript in every question. */
const systemTokens = 540;
/** Assumed characters that an extraction's answer adds to a later question. */
const noteCharacters = 1500;
/** Maximum characters of an expected output in a question. */
export const maxExpectedCharacters = 20_000;
/** Assumed tokens of an expected output in a question. */
const expectedOutputTokens = 450;
/** Assumed output tokens of an answer: evidence, a reason and a yes or no per statement; reasoning takes more. */
const answerTokens = 600;

/** Number of recent calls at which their usage weighs as much as the estimate. */
const equalWeightCalls = 5;
/** Maximum correction factor, since recent judgements may have been about another kind of trace. */
const maxCorrection = 4;

/** Computes the ratio of actual to estimated usage, weighted by the number of calls. */
const correction = (actual: number, estimated: number, calls: number): number => {
  if (estimated <= 0 || actual <= 0) return 1;
  const factor = Math.min(maxCorrection, Math.max(1 / maxCorrection, actual / estimated));
  return (factor * calls + equalWeightCalls) / (calls + equalWeightCalls);
};

/** Size of a transcript: estimated tokens, and characters. */
export interface TranscriptSize {
  readonly tokens: number;
  readonly characters: number;
}

/** Estimates the tokens of a metric's question, and of the prefix that questions about a target share, corrected by its recent usage. */
const estimateMetric = (metric: PlannedMetric, record: TranscriptSize, recentUsage: RecentUsage | undefined) => {
  const needs = metric.needs?.length ?? 0;
  const recordTokens = metric.sees === "record" ? record.tokens : 0;
  const prefix = metric.sees === "record" ? systemTokens + recordTokens : 0;
  const ownTokens = questionTokens + (metric.usesExpectedOutput ? expectedOutputTokens : 0);
  const prompt = ownTokens + recordTokens + Math.ceil((needs * noteCharacters) / 3.3);
  if (recentUsage === undefined || recentUsage.calls === 0) return { prompt, completion: answerTokens, prefix };
  const { calls, shown: characters } = recentUsage;
  const perCharacter = record.characters === 0 ? 1 / 3.3 : record.tokens / record.characters;
  const estimated = calls * ownTokens + characters * perCharacter;
  const promptCorrection = correction(recentUsage.prompt, estimated, calls);
  return {
    prompt: Math.ceil(prompt * promptCorrection),
    prefix: Math.floor(prefix * promptCorrection),
    completion: Math.ceil(answerTokens * correction(recentUsage.completion, calls * answerTokens, calls)),
  };
};

/**
 * Estimates the calls and tokens of all metrics of one target: one question per metric, and one per extraction. Inapplicable
 * metrics take less; embeddings are not counted.
 *
 * @param recentUsage usage of recent judgements by metric name.
 */
export const estimateTarget = (
  metrics: ReadonlyMap<string, PlannedMetric>,
  record: TranscriptSize,
  recentUsage: ReadonlyMap<string, RecentUsage> = new Map(),
): JudgingEstimate => {
  const judged = [...metrics].filter(([, { method }]) => method === "judge");
  const needs = new Set(judged.flatMap(([, metric]) => metric.needs ?? []));
  const estimates = [
    ...Array.from(needs, () => estimateMetric({ method: "judge", sees: "record" }, record, undefined)),
    ...judged.map(([name, metric]) => estimateMetric(metric, record, recentUsage.get(name))),
  ];
  const sum = (figure: "prompt" | "completion" | "prefix"): number =>
    estimates.reduce((total, estimate) => total + estimate[figure], 0);
  const written = Math.max(0, ...estimates.map((estimate) => estimate.prefix));
  return {
    calls: estimates.length,
    prompt: sum("prompt"),
    completion: sum("completion"),
    cached: sum("prefix") - written,
    written,
  };
};

/** Tokens of a decision call beside the transcript: the rules, and on average the criterion and statements of a metric. */
const decisionTokens = { rules: 230, metric: 400 } as const;

/** Metrics of one decision call; the scores of 47 fit into one transaction of DynamoDB. */
export const maxMetricsOfDecision = 47;

/** Returns the number of metrics whose judge is shown the expected output. */
const expecting = (judged: readonly PlannedMetric[]): number =>
  judged.filter(({ usesExpectedOutput }) => usesExpectedOutput).length;

/**
 * Returns the numbers of decision calls about one target: those with the transcript, one for all metrics where they are not too
 * many, one for those that are shown the expected output, and one more for metrics that rest on a plan, and those about a part of the trace.
 */
const decisionCalls = (judged: readonly PlannedMetric[]): readonly [withRecord: number, alone: number] => {
  const shared = judged.filter(({ isAlone }) => !isAlone);
  const second = judged.some(({ needs = [] }) => needs.length > 0) ? 1 : 0;
  const counts = [shared.length - expecting(shared), expecting(shared)].map((count) =>
    Math.ceil(count / maxMetricsOfDecision),
  );
  return [counts.reduce((sum, count) => sum + count, second), judged.length - shared.length];
};

const judgedOf = (metrics: ReadonlyMap<string, PlannedMetric>): readonly PlannedMetric[] =>
  [...metrics.values()].filter(({ method }) => method === "judge");

/** Estimates the calls and tokens of all metrics of one target with a decision model, which answers in no tokens. */
const estimateDecisions = (metrics: ReadonlyMap<string, PlannedMetric>, record: TranscriptSize): JudgingEstimate => {
  const judged = judgedOf(metrics);
  const [withRecord, alone] = decisionCalls(judged);
  const calls = withRecord + alone;
  const criteria = judged.length * decisionTokens.metric + expecting(judged) * expectedOutputTokens;
  const prompt = calls * decisionTokens.rules + withRecord * record.tokens + criteria;
  return { calls, prompt, completion: 0, cached: 0, written: 0 };
};

/** Estimates the calls and tokens of all metrics of one target by the kind of the judge model, as `estimateTarget` does for chat models. */
export const estimateJudging = (
  model: string,
  metrics: ReadonlyMap<string, PlannedMetric>,
  record: TranscriptSize,
  recentUsage?: ReadonlyMap<string, RecentUsage>,
): JudgingEstimate =>
  isDecisionModel(model) ? estimateDecisions(metrics, record) : estimateTarget(metrics, record, recentUsage);

/** Estimates the prompt bytes of each question of a metric. @param record bytes of the transcript. */
export const promptBytes = (metric: PlannedMetric, record: number): readonly number[] => {
  if (metric.method !== "judge") return [];
  const needs = metric.needs ?? [];
  const noteBytes = needs.length * noteCharacters + (metric.usesExpectedOutput ? maxExpectedCharacters : 0);
  const metricBytes = questionCharacters + (metric.sees === "record" ? record : 0) + noteBytes;
  return [...needs.map(() => questionCharacters + record), metricBytes];
};

/**
 * Estimates the prompt bytes of each judgement's calls about one target: of all metrics together for a decision model, else of
 * each metric.
 *
 * @param record bytes of the transcript.
 */
export const judgementBytes = (
  model: string,
  metrics: ReadonlyMap<string, PlannedMetric>,
  record: number,
): readonly (readonly number[])[] => {
  if (!isDecisionModel(model)) return Array.from(metrics.values(), (metric) => promptBytes(metric, record));
  const judged = judgedOf(metrics);
  const noteBytes = expecting(judged) > 0 ? maxExpectedCharacters : 0;
  const bytes = record + noteBytes + Math.ceil(4.4 * (decisionTokens.rules + judged.length * decisionTokens.metric));
  const [withRecord, alone] = decisionCalls(judged);
  return [Array.from({ length: Math.max(withRecord, Math.min(alone, 1)) }, () => bytes)];
};

/** Computes the cost of an estimate in US dollars if the provider's cache is used; null when the price is unknown. Calls cost what one of their mean length costs. */
export const cachedCostOfEstimate = (
  { calls, prompt, completion, cached, written }: JudgingEstimate,
  price: Price | null,
): number | null =>
  costOf({ prompt, completion, cached, written }, price && priceOfPrompt(price, prompt / Math.max(1, calls)));

/** Computes the cost of an estimate in US dollars, without cached tokens; null when the price is unknown. */
export const costOfEstimate = (
  estimate: Omit<JudgingEstimate, "cached" | "written">,
  price: Price | null,
): number | null => cachedCostOfEstimate({ ...estimate, cached: 0, written: 0 }, price);
