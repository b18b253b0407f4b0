import { string } from "valibot";
import { defineRubricMetric } from "../../judge/rubric/rubric-metric.ts";
import { traceCatalogue } from "./catalogue.ts";
import { unlessWorkIsShown } from "./nothing-to-judge.ts";
import { scale5 } from "./scale5.ts";

/** Metric of task completion: the extent to which the user's objective was reached. One judge call. */
export const taskCompletion = defineRubricMetric({
  name: "task_completion",
  ...traceCatalogue.task_completion,
  inapplicable: unlessWorkIsShown,
  question: "was the user's objective reached?",
  instructions:
    "An announcement of success is not success: what was asked for has to be in the output or in a completed action of the record. Asking the user back counts as reaching the objective only where the task cannot be done without the answer. A well-founded refusal of something that must not be done is the right outcome.",
  notes: {
    schemas: { task: string(), outcome: string() },
    explained: {
      task: "the user's objective in one to three sentences, drawn from every request of the user over the whole record, the latest wish where two contradict each other. State what the user wanted to have at the end, not what the agent tried.",
      outcome:
        "what the agent actually did and delivered, as plain facts in order, without praise or blame. Name errors, missing results and unanswered parts.",
    },
  },
  rubric: {
    levels: scale5(
      ["fully", "every part of the objective is met by what was delivered, and the record supports it"],
      ["mostly", "the main objective is met, a minor part is missing or inexact"],
      ["partly", "a substantial part is met and a substantial part is not"],
      ["barely", "only a first step or a marginal part was achieved"],
      [
        "not_at_all",
        "nothing that was asked for was delivered, the output is empty, off the subject or made up, or the execution failed before it",
      ],
    ),
    statements: [
      {
        name: "delivered",
        text: "Something that the user asked for was delivered.",
        yes: "a part of it at least is in the output or in a completed action",
        no: "the output is empty, off the subject or made up, or the execution failed before it",
      },
      {
        name: "substantial",
        text: "A substantial part of the objective is met.",
        yes: "what was delivered is of use to the user by itself",
        no: "it is a first step or a marginal part",
      },
      {
        name: "main",
        text: "The main thing that the user wanted is met.",
        yes: "the user would call the objective reached, small things aside",
        no: "it is missing, or wrong",
      },
      {
        name: "complete",
        text: "Every part of the objective is met.",
        yes: "no request of the user is left open",
        no: "a part is missing, however small",
      },
      {
        name: "exact",
        text: "All that was delivered is borne out by the record.",
        yes: "what was said and done agrees with the tools' results and the user's words",
        no: "something is inexact, contradicted or made up",
      },
    ],
    rule: [
      { level: "not_at_all", answers: { delivered: "no" } },
      { level: "barely", answers: { substantial: "no" } },
      { level: "partly", answers: { main: "no" } },
      { level: "mostly", answers: { complete: "no", exact: "no" }, least: 1 },
    ],
    otherwise: "fully",
  },
  example: {
    record:
      "The user wants a broken lamp refunded and a note on when the money comes; the agent refunds it and says no more.",
    notes: { task: "A refund of the lamp, and when it comes.", outcome: "Refunded; no date was given." },
    statements: {
      delivered: [["#4"], "The refund was made.", "yes"],
      substantial: [["refund_id: 881"], "The refund alone is of use.", "yes"],
      main: [["refund_id: 881"], "The refund was the main wish.", "yes"],
      complete: [["Done! Anything else?"], "No date is given.", "no"],
      exact: [["status: refunded"], "The answer agrees with the tool.", "yes"],
    },
  },
});
