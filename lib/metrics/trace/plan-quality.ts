import { array, description, object, pipe, string } from "valibot";
import { defineMetric } from "../../judge/metric.ts";
import { traceCatalogue } from "./catalogue.ts";
import { planExtraction, withoutPlan } from "./plan-extraction.ts";
import { scale5 } from "./scale5.ts";

const scale = scale5(
  ["excellent", "complete, coherent, direct and precise enough to act on"],
  ["good", "a small gap, detour or vagueness"],
  ["fair", "it could work, but an important step is missing or much of it is vague"],
  ["poor", "it would hardly reach the goal"],
  ["useless", "it does not aim at the task, or contradicts itself"],
);

/** The question of plan_quality. It is put without the record: what came of a plan must not decide how good it was. */
const question = `Question: is the plan in the notes a good plan for the task in the notes?

Judge the plan alone, as somebody who has to decide whether to start: is it complete, does each step follow from those before, is there a shorter or safer way, is it detailed enough to act on, does it aim at what the user wants. How it was carried out is not asked.

Fill the fields in this order.
- evidence: up to five steps of the plan, word for word, on which your judgement rests.
- reason: in two to four sentences, what is good about the plan and what it lacks.
- verdict: one of
${scale.explained}`;

/** Whether the plan itself was good: the extraction of the plan and one call that sees nothing but task and plan. */
export const planQuality = defineMetric({
  name: "plan_quality",
  ...traceCatalogue.plan_quality,
  needs: [planExtraction],
  inapplicable: withoutPlan,
  question,
  answer: object({
    evidence: pipe(array(string()), description("Up to five steps of the plan, or what it lacks.")),
    reason: pipe(string(), description("Why this verdict, two to four sentences.")),
    verdict: scale.verdict,
  }),
  score: ({ evidence, reason, verdict }, { extracted }) => {
    const { task, plan } = extracted(planExtraction);
    return { value: scale.value(verdict), reason, details: { task, plan, evidence } };
  },
});
