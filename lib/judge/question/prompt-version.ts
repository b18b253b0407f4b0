import { createHash } from "node:crypto";
import { strictJsonSchema } from "./answer.ts";
import type { Extraction, JudgedMetric, Metric } from "../metric.ts";
import { questionText, recordText, systemMessage } from "./prompt.ts";
import { transcriptVersion } from "../transcript/transcript.ts";

const extractionParts = ({ name, question, answer }: Extraction): unknown => [name, question, strictJsonSchema(answer)];

const questionParts = ({ question, answer, needs, sees }: JudgedMetric): readonly unknown[] => [
  transcriptVersion,
  systemMessage,
  sees === "record" ? recordText("nonce", "transcript") : "",
  questionText("nonce", sees, [], question),
  strictJsonSchema(answer),
  needs.map(extractionParts),
];

const fingerprint = (metric: Metric): string =>
  createHash("sha256")
    .update(JSON.stringify(metric.method === "judge" ? questionParts(metric) : [metric.name, metric.version]))
    .digest("hex")
    .slice(0, 12);

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
