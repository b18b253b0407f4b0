import { array, description, object, pipe, string } from "valibot";
import { defineMetric } from "../../judge/metric.ts";
import { traceCatalogue } from "./catalogue.ts";
import { scale5 } from "./scale5.ts";

const scale = scale5(
  ["minimal", "every step serves the task and none could be left out"],
  ["slight_excess", "one or two small steps could be left out"],
  ["some_waste", "several steps could be left out, but the work goes forward"],
  ["wasteful", "most of the work is redundant, speculative or off the task"],
  ["aimless", "hardly a step serves the task, or the same is done over and over"],
);

const question = `Question: was the task done without unnecessary steps?

A step is a span, or a message of the agent. Unnecessary is what the task could do without: a repetition, a call whose result was at hand, speculative work, work nobody asked for. A retry after a failure is needed once. How fast a step ran and whether the result is right are not asked.

Fill the fields in this order.
- task: the user's goal in one or two sentences, drawn from every request of the user over the whole record, the latest wish where two contradict each other; not what the agent did.
- evidence: up to five short quotations or span numbers on which your judgement rests, needed steps as well as needless ones.
- reason: in two to four sentences, which steps the task needed and which it did not.
- verdict: one of
${scale.explained}`;

/** Whether the way to the result was short: one call. */
export const stepEfficiency = defineMetric({
  name: "step_efficiency",
  ...traceCatalogue.step_efficiency,
  question,
  answer: object({
    task: pipe(string(), description("The user's goal.")),
    evidence: pipe(array(string()), description("Up to five quotations or span numbers.")),
    reason: pipe(string(), description("Why this verdict, two to four sentences.")),
    verdict: scale.verdict,
  }),
  score: ({ task, evidence, reason, verdict }) => ({
    value: scale.value(verdict),
    reason,
    details: { task, evidence },
  }),
});
