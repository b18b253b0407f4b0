import { rubricShown } from "../../domain/metrics/rubric-shown.ts";
import type { CheckedMetric } from "../checked-metric.ts";
import type { FoldedMetric } from "../folded-metric.ts";
import type { Metric } from "../metric.ts";
import { questionText, recordText, systemMessage, type Note } from "./prompt.ts";

/** One call of the judge as it would be made. */
interface PromptStage {
  /** Name of what is drawn from the trace beforehand, or `score`. */
  readonly stage: string;
  /** System message, record, notes and question, with placeholders for what a trace would tell. */
  readonly prompt: string;
}

const nonce = "(a random code)";

const promptOf = (record: boolean, notes: readonly string[], question: string): string => {
  const shown = notes.map((name): Note => ({ name, text: `(${name})` }));
  return [
    systemMessage,
    ...(record ? [recordText(nonce, "(the trace: its input, output, metadata and spans)")] : []),
    questionText(nonce, record ? "record" : "notes", shown, question),
  ].join("\n\n");
};

/** What a judge is asked for a metric, in order; nothing for a metric that asks none. */
export const promptPreview = (metric: Metric | CheckedMetric | FoldedMetric): PromptStage[] => {
  if (metric.method !== "judge") return [];
  const { needs, facts, sees, question } = metric;
  const notes = [...needs.map(({ name }) => name), ...(facts === null ? [] : ["facts that the trace tells"])];
  return [
    ...needs.map((need) => ({ stage: need.name, prompt: promptOf(true, [], need.question) })),
    { stage: "score", prompt: promptOf(sees === "record", notes, question) },
  ];
};

/** How a metric's score follows from what the judge answers; null for a metric that asks none. */
export const rubricPreview = (metric: Metric | CheckedMetric | FoldedMetric) => {
  const rubric = metric.method === "judge" ? metric.rubric : null;
  return rubric === null ? null : rubricShown(rubric);
};
