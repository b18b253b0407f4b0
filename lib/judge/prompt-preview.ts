import { rubricView } from "../domain/metrics/rubric-view.ts";
import type { CheckMetric, AggregateMetric } from "./verdict/computed-metrics.ts";
import type { Metric } from "./metric/metric.ts";
import { questionText, recordText, systemMessage, type Note } from "./question/ask-model.ts";

/** Prompt of one judge call, with placeholders for the content of a trace. */
interface PromptStage {
  /** Name of the extraction, or `score` for the metric's own question. */
  readonly stage: string;
  /** System message, transcript, notes and question. */
  readonly prompt: string;
}

const nonce = "(a random code)";

const promptOf = (hasRecord: boolean, notes: readonly string[], question: string): string => {
  const noteTexts = notes.map((name): Note => ({ name, text: `(${name})` }));
  return [
    systemMessage,
    ...(hasRecord ? [recordText(nonce, "(the trace: its input, output, metadata and spans)")] : []),
    questionText(nonce, hasRecord ? "record" : "notes", noteTexts, question),
  ].join("\n\n");
};

/** Returns the prompts that a metric sends to a judge, in order; empty for metrics without a judge. */
export const promptPreview = (metric: Metric | CheckMetric | AggregateMetric): PromptStage[] => {
  if (metric.method !== "judge") return [];
  const { needs, facts, sees, question } = metric;
  const notes = [...needs.map(({ name }) => name), ...(facts === null ? [] : ["facts that the trace tells"])];
  return [
    ...needs.map((need) => ({ stage: need.name, prompt: promptOf(true, [], need.question) })),
    { stage: "score", prompt: promptOf(sees === "record", notes, question) },
  ];
};

/** Returns the public form of the rubric that a metric scores with; null for metrics without a rubric. */
export const rubricPreview = (metric: Metric | CheckMetric | AggregateMetric) => {
  const rubric = metric.method === "judge" ? metric.rubric : null;
  return rubric === null ? null : rubricView(rubric);
};
