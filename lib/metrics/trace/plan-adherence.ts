import { array, description, object, pipe, string } from "valibot";
import { defineMetric } from "../../judge/metric.ts";
import { traceCatalogue } from "./catalogue.ts";
import { planExtraction, withoutPlan } from "./plan-extraction.ts";
import { scale5 } from "./scale5.ts";

const scale = scale5(
  ["followed", "every step was done, in order, and nothing was added"],
  ["mostly_followed", "a small departure in order, completeness or extras"],
  ["partly_followed", "a substantial part was done as planned and a substantial part was not"],
  ["barely_followed", "only the beginning or a marginal part was done as planned"],
  ["ignored", "what was done has nothing to do with the plan"],
);

const question = `Question: did the execution follow the plan in the notes?

Hold the steps of the record against the plan: every step done, in order, completely, and nothing added. Whether the plan was good is not asked. A departure that the record makes necessary (a failure, a new wish of the user) counts little.

Fill the fields in this order.
- evidence: up to five short quotations or span numbers, those of steps that were left out or added included.
- reason: in two to four sentences, which steps of the plan were done, and which were left out, changed or added.
- verdict: one of
${scale.explained}`;

/** Whether the agent did what it had planned: the extraction of the plan and one call, or only the former without a plan. */
export const planAdherence = defineMetric({
  name: "plan_adherence",
  ...traceCatalogue.plan_adherence,
  needs: [planExtraction],
  inapplicable: withoutPlan,
  question,
  answer: object({
    evidence: pipe(array(string()), description("Up to five quotations or span numbers.")),
    reason: pipe(string(), description("Why this verdict, two to four sentences.")),
    verdict: scale.verdict,
  }),
  score: ({ evidence, reason, verdict }, { extracted }) => {
    const { task, plan } = extracted(planExtraction);
    return { value: scale.value(verdict), reason, details: { task, plan, evidence } };
  },
});
