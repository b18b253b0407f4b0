import { array, description, object, picklist, pipe, string } from "valibot";
import { defineMetric } from "../../judge/metric.ts";
import { taskCompletionQuestion } from "./task-completion-prompt.ts";

const scale = { fully: 1, mostly: 0.75, partly: 0.5, barely: 0.25, not_at_all: 0 } as const;

/** Whether the user got what they wanted: one call, value by the anchors of its scale. */
export const taskCompletion = defineMetric({
  name: "task_completion",
  description: "Evaluates whether the agent reached the objective that the user set.",
  category: "trace",
  threshold: 0.5,
  needs: [],
  question: taskCompletionQuestion,
  answer: object({
    task: pipe(string(), description("The user's objective.")),
    outcome: pipe(string(), description("What was done and delivered, facts only.")),
    evidence: pipe(array(string()), description("Up to five quotations or span numbers.")),
    reason: pipe(string(), description("Why this verdict, two to four sentences.")),
    verdict: picklist(["fully", "mostly", "partly", "barely", "not_at_all"]),
  }),
  score: ({ task, outcome, evidence, reason, verdict }) => ({
    value: scale[verdict],
    reason,
    details: { task, outcome, evidence },
  }),
});
