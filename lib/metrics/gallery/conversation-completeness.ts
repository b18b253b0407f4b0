import { galleryMetric } from "./gallery-metric.ts";

/** Metric template: evaluates whether all requests of a session are settled. */
export const conversationCompleteness = galleryMetric({
  name: "conversation_completeness",
  target_type: "SESSION",
  description: "Evaluates whether a conversation ends with nothing left open that the user wanted.",
  instructions:
    "Gather every wish of the user over all turns. A wish is settled where it was met, rightly declined, or withdrawn by the user. A promise to do something later does not settle it.",
  scale: [
    {
      label: "complete",
      meaning: "every wish is settled",
      value: 1,
    },
    {
      label: "mostly",
      meaning: "the main wish is settled and another is open",
      value: 0.6,
    },
    {
      label: "open",
      meaning: "the main wish is open",
      value: 0,
    },
  ],
  statements: [
    {
      name: "main",
      text: "Is the user's main wish settled?",
      yes: "it was met, rightly declined or withdrawn",
      no: "it is open at the end",
    },
    {
      name: "others",
      text: "Is every other wish settled?",
      yes: "none is open, or there was one wish",
      no: "one is open at the end",
    },
    {
      name: "noticed",
      text: "Did the agent take up each wish that was said in passing?",
      yes: "each was answered, or there was none",
      no: "one was never answered",
    },
  ],
  rule: [
    {
      level: "open",
      answers: {
        main: "no",
      },
    },
    {
      level: "mostly",
      answers: {
        others: "no",
        noticed: "no",
      },
      least: 1,
    },
  ],
  otherwise: "complete",
  evidence: ["transcript"],
  threshold: 0.6,
  examples: [
    {
      record:
        "The user wants a seat changed and, in passing, a receipt; the seat is changed, the receipt is never spoken of.",
      answers: {
        main: "yes",
        others: "no",
        noticed: "no",
      },
      reason: "The seat is changed, the receipt is open.",
    },
  ],
});
