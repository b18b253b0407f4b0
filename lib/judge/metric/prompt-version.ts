import { createHash } from "node:crypto";
import { strictJsonSchema } from "../question/answer.ts";
import type { Extraction, JudgedMetric, Metric } from "./metric.ts";
import { maxNoteLength, questionText, recordText, systemMessage } from "../question/prompt.ts";
import type { Sampling } from "../providers/provider.ts";
import { transcriptVersion } from "../transcript/transcript.ts";

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

const fingerprintOf = (parts: unknown): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 12);

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
 * @param budget maximum characters of a transcript.
 * @param embeddings the embedding model; null when there is none.
 * @param pictures maximum number of pictures.
 */
export const setupVersion = (
  metric: Metric,
  budget: number,
  leastCoverage: number,
  embeddings: string | null,
  pictures = 0,
): string => {
  const pictureParts = pictures === 0 ? [] : [pictures];
  return fingerprintOf([
    promptVersion(metric),
    ...(metric.method === "judge" ? [budget, leastCoverage, ...pictureParts] : [embeddings]),
  ]);
};

/** Adds temperature and reasoning effort to a setup fingerprint; returns it unchanged when no model was called. */
export const sampledVersion = (setup: string, sampling: Sampling | null): string =>
  sampling === null ? setup : fingerprintOf([setup, sampling.temperature, sampling.effort]);
