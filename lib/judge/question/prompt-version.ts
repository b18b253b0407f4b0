import { createHash } from "node:crypto";
import { strictJsonSchema } from "./answer.ts";
import type { Extraction, JudgedMetric, Metric } from "../metric.ts";
import { longestNote, questionText, recordText, systemMessage } from "./prompt.ts";
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
  needs.length > 0 ? longestNote : 0,
  limits,
  rubric,
];

const fingerprintOf = (parts: unknown): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 12);

const fingerprint = (metric: Metric): string =>
  fingerprintOf(metric.method === "judge" ? questionParts(metric) : [metric.name, metric.version, metric.reference]);

const known = new WeakMap<Metric, string>();

/**
 * A short fingerprint of everything a metric says to a model apart from the trace: two scores with the same one were asked
 * the same question in the same words, or compared in the same way.
 */
export const promptVersion = (metric: Metric): string => {
  const version = known.get(metric) ?? fingerprint(metric);
  known.set(metric, version);
  return version;
};

/**
 * A short fingerprint of everything beside the model that may change a verdict on the same trace: the words of the question, and
 * how much of a trace is shown, and how many of its pictures at most. What is compared does not rest on a transcript, nor what is judged on embeddings.
 *
 * @param budget characters of a transcript. @param embeddings the embedding model; null when there is none.
 */
export const setupVersion = (
  metric: Metric,
  budget: number,
  leastCoverage: number,
  embeddings: string | null,
  pictures = 0,
): string => {
  const seen = pictures === 0 ? [] : [pictures];
  return fingerprintOf([
    promptVersion(metric),
    ...(metric.method === "judge" ? [budget, leastCoverage, ...seen] : [embeddings]),
  ]);
};

/** The same with how the model was asked to answer; nothing is added where no model was. */
export const sampledVersion = (setup: string, sampling: Sampling | null): string =>
  sampling === null ? setup : fingerprintOf([setup, sampling.temperature, sampling.effort]);
