import { parse } from "valibot";
import type { Rubric } from "../../domain/metrics/rubric.ts";
import type { Json, JsonObject } from "../../domain/json.ts";
import type { InapplicableCode } from "../../domain/scores/inapplicable.ts";
import type { FailureCode } from "../../domain/scores/reason-codes.ts";
import type { Trace } from "../../domain/traces/trace.ts";
import type { Predicate, Vector, Sampling } from "../providers/provider.ts";
import { type Answer, type AnswerSchema, strictJsonSchema } from "../question/answer.ts";
import { type Coverage, transcriptVersion } from "../transcript/transcript.ts";
import type { TranscriptSection } from "../transcript/section.ts";
import { hash } from "node:crypto";
import { maxNoteLength, questionText, recordText, systemMessage } from "../question/ask-model.ts";

/** A question that several metrics depend on, such as the agent's plan: asked once per target and shared. */
export interface Extraction<S extends AnswerSchema = AnswerSchema> {
  readonly name: string;
  readonly question: string;
  readonly answer: S;
  /** Returns the quotations and span numbers that an answer rests on; null for an answer that claims nothing. Without it no answer is checked. */
  evidenceOf?(answer: Answer<S>): readonly string[] | null;
  /** Replaces the quotations of an answer, which later questions are shown, by those that the record bears out. */
  withEvidence?(answer: Answer<S>, evidence: string[]): Answer<S>;
  /** What a decision model is asked instead, and the answer that stands for a false predicate; absent: no decision model can be asked. */
  readonly decision?: { readonly predicate: Predicate; readonly absent: Answer<S> };
}

/** A score that a metric computed for one trace. */
export interface MetricScore {
  /** Score in [0, 1]. */
  readonly value: number;
  readonly reason: string;
  /** Facts the score is based on, for its metadata; long texts and lists are shortened to fit. */
  readonly details: JsonObject;
  /** Names of the statements that cite each text of `details.evidence`, in the same order; absent without statements. */
  readonly citedStatements?: readonly (readonly string[])[];
  /** Name of the category of a nominal metric, whose number means nothing; absent for numbers. */
  readonly category?: string;
  /** True if the score is a success; absent when the metric's threshold decides. */
  readonly success?: boolean;
}

/** The fixed score of a trace that a metric does not apply to, for example a tool metric on a trace without tools. */
export interface InapplicableScore extends MetricScore {
  readonly inapplicable: InapplicableCode;
}

/** The outcome of a metric that cannot compute a score, with its reason. */
export interface NoScore {
  readonly value: null;
  readonly code: FailureCode;
  readonly reason: string;
  readonly details: JsonObject;
}

/** A trace with the earlier traces of its session. */
export interface SessionMaterial {
  readonly trace: Trace;
  /** Earlier traces of the session, oldest first. */
  readonly earlierTraces: readonly Trace[];
  /** Number of still older traces that `earlierTraces` leaves out. */
  readonly omittedTraceCount: number;
  /** Expected output of the dataset's item that the trace ran, for metrics that use it; null or absent without one. */
  readonly expectedOutput?: Json;
}

/** Input of a judged metric: the trace, its session and the answers of the metric's extractions. */
export interface Material extends SessionMaterial {
  /** Returns the answer of an extraction that the metric lists in `needs`. */
  readonly extractedAnswer: <S extends AnswerSchema>(extraction: Extraction<S>) => Answer<S>;
}

/** A text computed from the trace, such as its tool calls, that the judge reads instead of the transcript. */
export interface Facts {
  readonly name: string;
  /** Text with content of the trace; it is delimited before a judge reads it. */
  readonly text: string;
  readonly coverage: Coverage;
  /** The same text split by span, to locate quotations. */
  readonly sections: readonly TranscriptSection[];
}

/** Limit and line code of texts computed from a trace (see `Facts`). */
export interface FactOptions {
  /** Maximum length of the text. */
  readonly characters: number;
  /** Random letters that begin each structural line, so that content of the trace cannot imitate one. */
  readonly code: string;
}

/** Probabilities of a metric's predicates, in their order; null for a refused one. */
export type Probabilities = readonly (number | null)[];

/** The score that follows from probabilities. */
export type DecidedScore = MetricScore | NoScore;

/** How a decision model judges a metric: predicates about a trace, and the score that follows from their probabilities. */
export interface DecisionForm {
  /** True if the metric's facts are shown beside the transcript, in one call with other metrics; absent: in its place. */
  readonly hasNotes?: true;
  readonly predicates: (material: SessionMaterial) => readonly Predicate[];
  readonly score: (probabilities: Probabilities, material: SessionMaterial) => DecidedScore;
}

interface MetricDescription {
  readonly name: string;
  /** Description for users, one sentence that begins with "Evaluates whether". */
  readonly description: string;
  readonly category: "trace";
  /** Lowest score that counts as a success. */
  readonly threshold: number;
}

/** A metric that a judge model evaluates: its question, the schema of the answer and the function that scores the answer. */
export interface JudgedMetric extends MetricDescription {
  readonly method: "judge";
  /** Extractions to ask for first; the metric's own question shows their answers as notes. */
  readonly needs: readonly Extraction[];
  /**
   * Computes the texts that replace the transcript, one question for each; null when the question is about the transcript or
   * about the extractions alone.
   */
  readonly facts: ((material: Material, options: FactOptions) => readonly Facts[]) | null;
  /** Material that the question shows: `record` is the transcript and all notes, `notes` are the notes alone. */
  readonly sees: "record" | "notes";
  /** True if the judge is shown the expected output as a note. */
  readonly usesExpectedOutput: boolean;
  /** Returns the fixed score of a trace that the metric does not apply to, else null. Such a trace is not sent to the judge. */
  readonly inapplicable: (material: Material) => InapplicableScore | null;
  /** Selection and length limits of the facts, part of the prompt's fingerprint; null without limits. */
  readonly limits: JsonObject | null;
  /** Rule that computes the score from answers to statements; null when `score` uses no statements. */
  readonly rubric: Rubric | null;
  /** Question text after the transcript, outside of all delimiters; never contains text of a trace. */
  readonly question: string;
  /** The criterion in the question: what is judged, without the form of the answer; empty if the question has no such part. */
  readonly criterion: string;
  /** How a decision model judges the metric; null if it cannot be judged by predicates. */
  readonly decisionForm: DecisionForm | null;
  readonly answer: AnswerSchema;
  /**
   * Describes what a well-formed answer lacks, as a sentence; null for a complete answer.
   *
   * @param part index of the facts that the answer is about.
   */
  readonly findFlaw: (answer: unknown, material: Material, part: number) => string | null;
  /** Joins the answers about several facts into one answer. */
  readonly joinAnswers: (answers: readonly unknown[]) => unknown;
  readonly score: (answer: unknown, material: Material) => MetricScore | NoScore;
  /** Judge model, `<provider>/<model>`, of runs that name none; null or absent for the default model. */
  readonly model?: string | null;
}

/** Embeddings of unrelated texts, from the project's traces or from the metric's reference pairs: a baseline for similarity. */
export interface UnrelatedPairs {
  readonly source: "project" | "reference";
  readonly pairs: readonly (readonly [Vector, Vector])[];
}

/** Embedding model and baseline of a text comparison. */
export interface ComparisonContext {
  /** Embedding model, `<provider>/<model>`. */
  readonly model: string;
  /** Baseline of unrelated texts; empty when the metric has no reference pairs. */
  readonly unrelated: UnrelatedPairs;
}

/** A metric that compares texts by their embeddings, without a judge model. */
export interface ComparedMetric extends MetricDescription {
  readonly method: "compare";
  /** Version of the algorithm; it changes when the same trace would get another score. */
  readonly version: string;
  /** Returns the non-empty texts to embed, or the fixed score when there is nothing to compare. */
  readonly texts: (material: SessionMaterial) => readonly string[] | InapplicableScore;
  /**
   * Pairs of related texts, each pair about another subject. Texts of different pairs show the similarity that the model gives
   * to unrelated texts. Empty when the metric needs no such baseline.
   */
  readonly reference: readonly (readonly [string, string])[];
  /** Computes the score. @param vectors embeddings of the texts, in the order of the texts. */
  readonly score: (vectors: readonly Vector[], material: SessionMaterial, context: ComparisonContext) => MetricScore;
}

/** A metric that scores single traces. */
export type Metric = JudgedMetric | ComparedMetric;

type OptionalField =
  | "needs"
  | "facts"
  | "sees"
  | "usesExpectedOutput"
  | "inapplicable"
  | "limits"
  | "rubric"
  | "criterion"
  | "decisionForm";

type Definition<Name extends string, S extends AnswerSchema> = Omit<
  JudgedMetric,
  "method" | "answer" | "findFlaw" | "joinAnswers" | "score" | OptionalField
> &
  Partial<Pick<JudgedMetric, OptionalField>> & {
    readonly name: Name;
    readonly answer: S;
    readonly findFlaw?: (answer: Answer<S>, material: Material, part: number) => string | null;
    readonly joinAnswers?: (answers: readonly Answer<S>[]) => Answer<S>;
    readonly score: (answer: Answer<S>, material: Material) => MetricScore | NoScore;
  };

/**
 * Defines a judged metric and types the answer of `score` by its schema. By default the metric has no extractions, shows the
 * transcript and applies to every trace.
 */
export const defineMetric = <const Name extends string, S extends AnswerSchema>(
  definition: Definition<Name, S>,
): JudgedMetric & { readonly name: Name } => ({
  needs: [],
  facts: null,
  sees: "record",
  usesExpectedOutput: false,
  inapplicable: () => null,
  limits: null,
  rubric: null,
  criterion: "",
  decisionForm: null,
  ...definition,
  method: "judge",
  findFlaw: (answer, material, part) => definition.findFlaw?.(parse(definition.answer, answer), material, part) ?? null,
  joinAnswers: (answers) =>
    definition.joinAnswers?.(answers.map((answer) => parse(definition.answer, answer))) ?? answers[0],
  score: (answer, material) => definition.score(parse(definition.answer, answer), material),
});

const extractionParts = ({ name, question, answer }: Extraction): unknown => [name, question, strictJsonSchema(answer)];

const questionParts = ({ question, answer, needs, sees, limits, rubric }: JudgedMetric): readonly unknown[] => [
  transcriptVersion,
  systemMessage,
  sees === "record" ? recordText("nonce", "transcript") : "",
  questionText("nonce", sees, [], question),
  strictJsonSchema(answer),
  needs.map(extractionParts),
  needs.length > 0 ? maxNoteLength : 0,
  limits,
  rubric,
];

/** Returns 12 hexadecimal digits of the SHA-256 hash of some data as JSON. */
export const fingerprintOf = (parts: unknown): string => hash("sha256", JSON.stringify(parts)).slice(0, 12);

const fingerprint = (metric: Metric): string =>
  fingerprintOf(metric.method === "judge" ? questionParts(metric) : [metric.name, metric.version, metric.reference]);

const cachedVersions = new WeakMap<Metric, string>();

/**
 * Computes the prompt fingerprint of a metric: 12 hexadecimal digits over everything that is sent to a model apart from the
 * trace. Scores with equal fingerprints come from the same question, or from the same comparison of texts.
 */
export const promptVersion = (metric: Metric): string => {
  const version = cachedVersions.get(metric) ?? fingerprint(metric);
  cachedVersions.set(metric, version);
  return version;
};

/**
 * Computes a fingerprint of everything apart from the judge model that may change a verdict on the same trace: the prompt
 * fingerprint and the transcript limits of a judged metric, or the embedding model of a compared one.
 *
 * @param version the prompt fingerprint.
 * @param budget maximum characters of a transcript.
 * @param embeddings the embedding model; null when there is none.
 * @param pictures maximum number of pictures.
 */
export const setupVersion = (
  metric: Pick<Metric, "method">,
  version: string,
  budget: number,
  leastCoverage: number,
  embeddings: string | null,
  pictures = 0,
): string => {
  const pictureParts = pictures === 0 ? [] : [pictures];
  return fingerprintOf([
    version,
    ...(metric.method === "judge" ? [budget, leastCoverage, ...pictureParts] : [embeddings]),
  ]);
};

/** Adds temperature and reasoning effort to a setup fingerprint; returns it unchanged when no model was called. */
export const sampledVersion = (setup: string, sampling: Sampling | null): string =>
  sampling === null ? setup : fingerprintOf([setup, sampling.temperature, sampling.effort]);
