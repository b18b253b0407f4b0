import { defineRubricMetric } from "../../judge/rubric/rubric-metric.ts";
import { traceCatalogue } from "./catalogue.ts";
import { planExtraction, withoutPlan } from "./plan-extraction.ts";
import { scale5 } from "./scale5.ts";

/**
 * Metric of plan quality: extracts the plan, then asks one question that shows nothing but task and plan, so that the plan's
 * outcome does not influence the score.
 */
export const planQuality = defineRubricMetric({
  name: "plan_quality",
  ...traceCatalogue.plan_quality,
  needs: [planExtraction],
  inapplicable: withoutPlan,
  question: "is the plan in the notes a good plan for the task in the notes?",
  instructions:
    "Judge the plan alone, as somebody who has to decide whether to start. How it was carried out is not asked. Evidence is taken from the evidence in the notes, word for word.",
  criterion:
    "is the plan that the record states a good plan for the user's goal? Judge the plan alone, as somebody who has to decide whether to start. How it was carried out is not asked.",
  notes: { schemas: {}, explained: {} },
  rubric: {
    levels: scale5(
      ["excellent", "complete, coherent, direct and precise enough to act on"],
      ["good", "a small gap, detour or vagueness"],
      ["fair", "it could work, but an important step is missing or much of it is vague"],
      ["poor", "it would hardly reach the goal"],
      ["useless", "it does not aim at the task, or contradicts itself"],
    ),
    statements: [
      {
        name: "aimed",
        text: "The plan aims at what the user wants.",
        yes: "its steps lead towards the task",
        no: "they lead elsewhere, or contradict each other",
      },
      {
        name: "complete",
        text: "No important step is missing.",
        yes: "the goal would be reached by these steps",
        no: "without a step that is not there it would not",
      },
      {
        name: "coherent",
        text: "Each step follows from those before.",
        yes: "whatever a step needs is known or done by then",
        no: "a step needs what comes later or nowhere",
      },
      {
        name: "direct",
        text: "There is no plainly shorter or safer way.",
        yes: "each step brings the goal nearer",
        no: "a step is a detour, a repetition or a needless risk",
      },
      {
        name: "precise",
        text: "Each step is detailed enough to act on.",
        yes: "one could begin at once",
        no: "a step does not say what to do",
      },
    ],
    rule: [
      { level: "useless", answers: { aimed: "no" } },
      { level: "poor", answers: { complete: "no", coherent: "no" } },
      { level: "poor", answers: { complete: "no", coherent: "no", direct: "no", precise: "no" }, least: 3 },
      { level: "fair", answers: { complete: "no" } },
      { level: "fair", answers: { coherent: "no", direct: "no", precise: "no" }, least: 2 },
      { level: "good", answers: { coherent: "no", direct: "no", precise: "no" }, least: 1 },
    ],
    otherwise: "excellent",
  },
  example: {
    record:
      'Task: move a meeting to a day when all three can come. Plan: "Look up the meeting", "Ask Ann and Bo", "Sort it out". Evidence: "First I look up the meeting", "then I ask Ann and Bo", "and sort it out".',
    notes: {},
    statements: {
      aimed: [["First I look up the meeting"], "It is about moving the meeting.", "yes"],
      complete: [["then I ask Ann and Bo"], "The third person is never asked.", "no"],
      coherent: [["First I look up the meeting"], "Who to ask is known by then.", "yes"],
      direct: [["then I ask Ann and Bo"], "No step could be left out.", "yes"],
      precise: [["and sort it out"], "The last step does not say what to do.", "no"],
    },
  },
  details: (_, { extractedAnswer: extracted }) => {
    const { task, plan } = extracted(planExtraction);
    return { task, plan };
  },
});
