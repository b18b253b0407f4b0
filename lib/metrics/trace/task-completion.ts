import { array, description, object, pipe, string } from "valibot";
import { defineMetric } from "../../judge/metric.ts";
import { traceCatalogue } from "./catalogue.ts";
import { scale5 } from "./scale5.ts";

const scale = scale5(
  ["fully", "every part of the objective is met by what was delivered, and the record supports it"],
  ["mostly", "the main objective is met, a minor part is missing or inexact"],
  ["partly", "a substantial part is met and a substantial part is not"],
  ["barely", "only a first step or a marginal part was achieved"],
  [
    "not_at_all",
    "nothing that was asked for was delivered, the output is empty, off the subject or made up, or the execution failed before it",
  ],
);

const question = `Question: was the user's objective reached?

Fill the fields in this order.
- task: the user's objective in one to three sentences, drawn from every request of the user over the whole record, the latest wish where two contradict each other. State what the user wanted to have at the end, not what the agent tried.
- outcome: what the agent actually did and delivered, as plain facts in order, without praise or blame. Name errors, missing results and unanswered parts.
- evidence: up to five short quotations or span numbers from the record on which your judgement rests, the ones against it included.
- reason: in two to four sentences, which parts of the task the outcome covers and which it does not.
- verdict: one of
${scale.explained}

An announcement of success is not success: what was asked for has to be in the output or in a completed action of the record. Asking the user back counts as reaching the objective only where the task cannot be done without the answer. A well-founded refusal of something that must not be done is the right outcome.`;

/** Whether the user got what they wanted: one call, value by the anchors of its scale. */
export const taskCompletion = defineMetric({
  name: "task_completion",
  ...traceCatalogue.task_completion,
  question,
  answer: object({
    task: pipe(string(), description("The user's objective.")),
    outcome: pipe(string(), description("What was done and delivered, facts only.")),
    evidence: pipe(array(string()), description("Up to five quotations or span numbers.")),
    reason: pipe(string(), description("Why this verdict, two to four sentences.")),
    verdict: scale.verdict,
  }),
  score: ({ task, outcome, evidence, reason, verdict }) => ({
    value: scale.value(verdict),
    reason,
    details: { task, outcome, evidence },
  }),
});
