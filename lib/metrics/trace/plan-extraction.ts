import { array, description, object, pipe, string } from "valibot";
import type { Extraction, Inapplicable, Material } from "../../judge/metric.ts";

/** The task and the agent's plan for it, in order; asked once for all metrics about the plan. */
const answer = object({
  task: pipe(string(), description("The user's goal.")),
  evidence: pipe(array(string()), description("Where the plan is stated, or the steps that show it.")),
  plan: pipe(array(string()), description("The plan's steps in order; empty when there was no plan.")),
});

export const planExtraction: Extraction<typeof answer> = {
  name: "plan",
  question: `Question: what did the agent plan to do?

A plan is what the agent set out to do before it did it: stated in a message, in its reasoning or in a plan of its own, or implied where its first steps show one intention. What it merely happened to do is no plan, and one single obvious step is none.

Fill the fields in this order.
- task: the user's goal in one or two sentences, from the trace input and the user's point of view; not what the agent did.
- evidence: up to five short quotations or span numbers where the plan is stated or shows.
- plan: the planned steps in order, one short sentence each, at most 20; nothing that the record does not support; an empty list when there was no plan.`,
  answer,
};

/** The outcome of a trace without a plan: there is nothing to hold against it. */
export const withoutPlan = ({ extracted }: Material): Inapplicable | null => {
  const { task, plan } = extracted(planExtraction);
  if (plan.length > 0) return null;
  const reason = "Does not apply: the record shows no plan of the agent, stated or implied.";
  return { value: 1, inapplicable: "no_plan", reason, details: { task, plan } };
};
