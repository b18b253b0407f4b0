import { array, description, object, pipe, string } from "valibot";
import type { Extraction, InapplicableScore, Material } from "../../judge/metric/metric.ts";
import { exampleText } from "../../judge/rubric/rubric-metric.ts";

/** Answer schema: the task and the agent's plan for it, in order. */
const answer = object({
  task: pipe(string(), description("The user's goal.")),
  evidence: pipe(array(string()), description("Where the plan is stated.")),
  plan: pipe(array(string()), description("The plan's steps in order; empty when there was no plan.")),
});

/** Extraction of the agent's plan, asked once for all metrics about the plan. */
export const planExtraction: Extraction<typeof answer> = {
  name: "plan",
  question: `Question: what did the agent plan to do?

A plan is what the agent said it would do before it did it: in a message, in its reasoning or in a plan of its own, as at least two steps. What it merely did is no plan, however well its steps fit together; a plan that could only be guessed from them is none, and neither is one single step, a question to the user or the announcement of what comes next.

Fill the fields in this order.
- task: the user's goal in one or two sentences, drawn from every request of the user over the whole record, the latest wish where two contradict each other; not what the agent did.
- evidence: up to five short quotations or span numbers where the plan is stated; none when there was no plan.
- plan: the planned steps in order, one short sentence each, at most 20; nothing that is not stated; an empty list when no plan is stated.

${exampleText({
  record:
    'The user wants a report by mail. The agent writes "I will first read the figures, then draft it, then send it." (#2) and does so.',
  answer: {
    task: "The report, sent by mail.",
    evidence: ["#2", "I will first read the figures"],
    plan: ["Read the figures.", "Draft the report.", "Send it."],
  },
})}`,
  answer,
  evidenceOf: ({ plan, evidence }) => (plan.length === 0 ? null : evidence),
  withEvidence: (stated, evidence) => ({ ...stated, evidence }),
  decision: {
    predicate: {
      name: "plan",
      text: "The agent states a plan of at least two steps before it carries them out.",
      yes: "a message, its reasoning or a plan of its own says what it is going to do",
      no: "the steps can only be guessed from what it did, or a single step, a question or an announcement is all there is",
    },
    absent: { task: "", evidence: [], plan: [] },
  },
};

/** Returns the fixed score 1 for a trace without a plan, else null. */
export const withoutPlan = ({ extractedAnswer: extracted }: Material): InapplicableScore | null => {
  const { task, plan } = extracted(planExtraction);
  if (plan.length > 0) return null;
  const reason = "Does not apply: the record states no plan of the agent.";
  return { value: 1, inapplicable: "no_plan", reason, details: { task, plan } };
};
