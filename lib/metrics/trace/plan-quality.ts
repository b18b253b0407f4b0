import { array, description, object, picklist, pipe, string } from "valibot";
import { defineMetric } from "../../judge/metric.ts";
import { planExtraction, withoutPlan } from "./plan-extraction.ts";
import { planQualityQuestion } from "./plan-quality-prompt.ts";

const scale = { excellent: 1, good: 0.75, fair: 0.5, poor: 0.25, useless: 0 } as const;

/** Whether the plan itself was good: the extraction of the plan and one call that sees nothing but task and plan. */
export const planQuality = defineMetric({
  name: "plan_quality",
  description: "Evaluates whether the agent's plan was complete, coherent and fit for the task.",
  category: "trace",
  threshold: 0.5,
  needs: [planExtraction],
  sees: "notes",
  inapplicable: withoutPlan,
  question: planQualityQuestion,
  answer: object({
    evidence: pipe(array(string()), description("Up to five steps of the plan, or what it lacks.")),
    reason: pipe(string(), description("Why this verdict, two to four sentences.")),
    verdict: picklist(["excellent", "good", "fair", "poor", "useless"]),
  }),
  score: ({ evidence, reason, verdict }, { extracted }) => {
    const { task, plan } = extracted(planExtraction);
    return { value: scale[verdict], reason, details: { task, plan, evidence } };
  },
});
