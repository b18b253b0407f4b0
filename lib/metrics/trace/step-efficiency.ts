import { array, description, object, picklist, pipe, string } from "valibot";
import { defineMetric } from "../../judge/metric.ts";
import { stepEfficiencyQuestion } from "./step-efficiency-prompt.ts";

const scale = { minimal: 1, slight_excess: 0.75, some_waste: 0.5, wasteful: 0.25, aimless: 0 } as const;

/** Whether the way to the result was short: one call. */
export const stepEfficiency = defineMetric({
  name: "step_efficiency",
  description: "Evaluates whether the agent did its task without unnecessary steps.",
  category: "trace",
  threshold: 0.5,
  needs: [],
  question: stepEfficiencyQuestion,
  answer: object({
    task: pipe(string(), description("The user's goal.")),
    evidence: pipe(array(string()), description("Up to five quotations or span numbers.")),
    reason: pipe(string(), description("Why this verdict, two to four sentences.")),
    verdict: picklist(["minimal", "slight_excess", "some_waste", "wasteful", "aimless"]),
  }),
  score: ({ task, evidence, reason, verdict }) => ({ value: scale[verdict], reason, details: { task, evidence } }),
});
