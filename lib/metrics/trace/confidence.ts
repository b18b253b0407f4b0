import { defineRubricMetric } from "../../judge/rubric/rubric-metric.ts";
import { traceCatalogue } from "./catalogue.ts";
import { unlessWorkIsShown } from "./nothing-to-judge.ts";
import { scale5 } from "./scale5.ts";
import { harnessCallsExempt } from "./tool-calls.ts";

/** Metric of the agent's confidence: decisive and appropriate actions. One judge call. */
export const confidence = defineRubricMetric({
  name: "confidence",
  ...traceCatalogue.confidence,
  inapplicable: unlessWorkIsShown,
  question: "did the agent act decisively and appropriately?",
  instructions: `Judge how the agent went about it, not whether it succeeded in the end. Signs of low confidence: hedging where the facts were at hand; contradicting itself; the same call with the same parameters again; retries without need; a strategy begun and dropped without a cause; vague answers. Asking back or stating a doubt is right where something is really unknown; certainty without a ground is not confidence but a fault. ${harnessCallsExempt}`,
  notes: { schemas: {}, explained: {} },
  rubric: {
    levels: scale5(
      ["assured", "every step is purposeful and fits what was known, without hesitation or contradiction"],
      ["mostly_assured", "a small hesitation or one needless step"],
      ["mixed", "clear signs of both"],
      ["hesitant", "hedging, repetition or changes of course mark most of it"],
      ["erratic", "it contradicts itself, wanders or repeats itself, and no strategy shows"],
    ),
    statements: [
      {
        name: "strategy",
        text: "A strategy shows in what the agent did.",
        yes: "its steps follow one aim after the other",
        no: "it wanders",
      },
      {
        name: "prevailing",
        text: "Most of the steps are free of signs of low confidence.",
        yes: "more than half are",
        no: "such signs mark half of them or more",
      },
      {
        name: "consistent",
        text: "The agent does not contradict itself.",
        yes: "what it said and did agrees, changes of course have a cause",
        no: "it said or did the opposite without a cause",
      },
      {
        name: "unrepeated",
        text: "No step is repeated without need.",
        yes: "what was done again had failed or changed",
        no: "a call or a message was made again for nothing",
      },
      {
        name: "calibrated",
        text: "What the agent said was as certain as the facts allow.",
        yes: "doubts are stated where something is unknown, and only there",
        no: "it hedged where the facts were at hand, or was certain without a ground",
      },
    ],
    rule: [
      { level: "erratic", answers: { strategy: "no" } },
      { level: "hesitant", answers: { prevailing: "no" } },
      { level: "mixed", answers: { consistent: "no", unrepeated: "no", calibrated: "no" }, least: 2 },
      { level: "mostly_assured", answers: { consistent: "no", unrepeated: "no", calibrated: "no" }, least: 1 },
    ],
    otherwise: "assured",
  },
  example: {
    record: 'The agent reads a balance of 40 (#2) and answers "You might have around 40, I think."',
    notes: {},
    statements: {
      strategy: [["#2"], "It looked up what was asked and answered.", "yes"],
      prevailing: [["#2"], "Only the answer hedges.", "yes"],
      consistent: [["balance: 40"], "The answer agrees with the look-up.", "yes"],
      unrepeated: [["#2"], "One call was made.", "yes"],
      calibrated: [["You might have around 40, I think."], "The balance was known.", "no"],
    },
  },
});
