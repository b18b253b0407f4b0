import { createHash } from "node:crypto";
import { strictJsonSchema } from "./answer-schema.ts";
import type { Metric } from "./metric.ts";
import { systemMessage, userMessage } from "./prompt.ts";
import { transcriptVersion } from "./transcript/transcript.ts";

/**
 * A short fingerprint of everything a metric says to a model apart from the trace: two scores with the same one were asked
 * the same question in the same words.
 */
export const promptVersion = (metric: Pick<Metric, "question" | "answer" | "needs">): string => {
  const parts = [
    transcriptVersion,
    systemMessage("nonce"),
    userMessage("nonce", "transcript", [], metric.question),
    strictJsonSchema(metric.answer),
    metric.needs.map(({ name, question, answer }) => [name, question, strictJsonSchema(answer)]),
  ];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 12);
};
