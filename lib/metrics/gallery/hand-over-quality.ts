import { galleryMetric } from "./gallery-metric.ts";

/** Metric template: evaluates whether a person who takes over from the agent can continue at once. */
export const handOverQuality = galleryMetric({
  name: "hand_over_quality",
  target_type: "TRACE",
  description: "Evaluates whether a person who takes over can go on at once.",
  instructions:
    "A hand-over is where the agent passes the matter to a person or a team. Look at what that person gets to read. Where there is no hand-over, each statement is answered for the last message of the agent.",
  scale: [
    {
      label: "smooth",
      meaning: "the next person can go on without asking again",
      value: 1,
    },
    {
      label: "rough",
      meaning: "the next person has to ask one thing again",
      value: 0.5,
    },
    {
      label: "broken",
      meaning: "the next person has to begin anew",
      value: 0,
    },
  ],
  statements: [
    {
      name: "matter",
      text: "Does the hand-over say what the user wants?",
      yes: "the wish is there in a sentence",
      no: "it is not",
    },
    {
      name: "done",
      text: "Does the hand-over say what was tried already?",
      yes: "what was tried is there with its outcome",
      no: "it is not",
    },
    {
      name: "reason",
      text: "Does the hand-over say why a person is needed?",
      yes: "the obstacle is named",
      no: "it is not",
    },
    {
      name: "told",
      text: "Was the user told who goes on with the matter?",
      yes: "the user knows who and roughly when",
      no: "the user is left without word",
    },
  ],
  rule: [
    {
      level: "smooth",
      answers: {
        matter: "yes",
        done: "yes",
        reason: "yes",
        told: "yes",
      },
    },
    {
      level: "rough",
      answers: {
        matter: "yes",
        done: "yes",
        reason: "yes",
      },
      least: 2,
    },
  ],
  otherwise: "broken",
  evidence: ["transcript"],
  threshold: 0.5,
  examples: [
    {
      record:
        "The agent writes to billing: the customer wants a double charge back, the refund tool answers 403; the customer hears that billing writes today.",
      answers: {
        matter: "yes",
        done: "yes",
        reason: "yes",
        told: "yes",
      },
      reason: "Wish, attempt and obstacle are there, and the user knows who goes on.",
    },
  ],
});
