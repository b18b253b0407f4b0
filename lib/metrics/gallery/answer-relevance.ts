import { galleryMetric } from "./gallery-metric.ts";

/** Metric template: evaluates whether the final answer is about the question. */
export const answerRelevance = galleryMetric({
  name: "answer_relevance",
  target_type: "TRACE",
  description: "Evaluates whether the answer is about what was asked.",
  instructions:
    "What counts is what the user asked for, not whether the answer is true. Greetings and offers of further help are no part of the answer. A question back counts as on the subject where the request cannot be met without it.",
  scale: [
    {
      label: "focused",
      meaning: "it is about the question and nothing else",
      value: 1,
    },
    {
      label: "drifting",
      meaning: "the question is met among things that nobody asked for",
      value: 0.5,
    },
    {
      label: "beside",
      meaning: "the question is not met by what was said",
      value: 0,
    },
  ],
  statements: [
    {
      name: "meets",
      text: "Does the answer take up what was asked?",
      yes: "its main part is about the request",
      no: "it is about something else, or empty",
    },
    {
      name: "whole",
      text: "Is every part of the request taken up?",
      yes: "no part is passed over",
      no: "a part is passed over",
    },
    {
      name: "spare",
      text: "Is the answer free of material that nobody asked for?",
      yes: "all of it serves the request",
      no: "a passage of it does not",
    },
  ],
  rule: [
    {
      level: "beside",
      answers: {
        meets: "no",
      },
    },
    {
      level: "drifting",
      answers: {
        whole: "no",
        spare: "no",
      },
      least: 1,
    },
  ],
  otherwise: "focused",
  evidence: ["transcript"],
  threshold: 0.5,
  examples: [
    {
      record: "The user asks when a parcel comes; the agent gives the day, then describes the shop's new range.",
      answers: {
        meets: "yes",
        whole: "yes",
        spare: "no",
      },
      reason: "The day answers the request, the range serves nobody.",
    },
  ],
});
