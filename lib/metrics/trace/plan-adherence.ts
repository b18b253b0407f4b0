import { array, description, object, picklist, pipe, string } from "valibot";
import { defineMetric } from "../../judge/metric.ts";
import { planAdherenceQuestion } from "./plan-adherence-prompt.ts";
import { planExtraction, withoutPlan } from "./plan-extraction.ts";

const scale = { followed: 1, mostly_followed: 0.75, partly_followed: 0.5, barely_followed: 0.25, ignored: 0 } as const;

/** Whether the agent did what it had planned: the extraction of the plan and one call, or only the former without a plan. */
export const planAdherence = defineMetric({
  name: "plan_adherence",
  description: "Evaluates whether the agent's execution followed its plan.",
  category: "trace",
  threshold: 0.5,
  needs: [planExtraction],
  inapplicable: withoutPlan,
  question: planAdherenceQuestion,
  answer: object({
    evidence: pipe(array(string()), description("Up to five quotations or span numbers.")),
    reason: pipe(string(), description("Why this verdict, two to four sentences.")),
    verdict: picklist(["followed", "mostly_followed", "partly_followed", "barely_followed", "ignored"]),
  }),
  score: ({ evidence, reason, verdict }, { extracted }) => {
    const { task, plan } = extracted(planExtraction);
    return { value: scale[verdict], reason, details: { task, plan, evidence } };
  },
});
