import { galleryMetric } from "./gallery-metric.ts";

/** Metric template: evaluates whether the agent is friendly and clear. */
export const tone = galleryMetric({
  name: "tone",
  target_type: "TRACE",
  description: "Evaluates whether the agent speaks as a helpful colleague would.",
  instructions:
    "Judge manner, not content: right news may be told badly. Fixed phrases that the agent has to say count for nothing.",
  scale: [
    {
      label: "fitting",
      meaning: "it is friendly, plain and takes the user's situation up",
      value: 1,
    },
    {
      label: "stiff",
      meaning: "it is polite, and deaf to the user's situation",
      value: 0.5,
    },
    {
      label: "off",
      meaning: "it is rude, flippant or condescending",
      value: 0,
    },
  ],
  statements: [
    {
      name: "polite",
      text: "Is the agent polite throughout?",
      yes: "no sentence of it is rude or condescending",
      no: "one is",
    },
    {
      name: "plain",
      text: "Does the agent use words that this user understands?",
      yes: "there is no jargon that the user did not bring",
      no: "there is",
    },
    {
      name: "attentive",
      text: "Does the agent take up how the user feels about the matter?",
      yes: "it does, or the user shows no feeling",
      no: "the user's trouble is passed over",
    },
  ],
  rule: [
    {
      level: "off",
      answers: {
        polite: "no",
      },
    },
    {
      level: "stiff",
      answers: {
        plain: "no",
        attentive: "no",
      },
      least: 1,
    },
  ],
  otherwise: "fitting",
  evidence: ["transcript"],
  threshold: 0.5,
  examples: [
    {
      record:
        "A user writes that a wedding dress came torn; the agent politely asks for the order's number and no more.",
      answers: {
        polite: "yes",
        plain: "yes",
        attentive: "no",
      },
      reason: "The torn dress is passed over.",
    },
  ],
});
