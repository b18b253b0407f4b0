import { galleryMetric } from "./gallery-metric.ts";

/** Metric template: evaluates whether the agent follows its instructions. */
export const instructionFollowing = galleryMetric({
  name: "instruction_following",
  target_type: "TRACE",
  description: "Evaluates whether the agent keeps to the instructions it was given.",
  instructions:
    "Instructions are those of its system message and of the user, as far as they do not contradict each other; the system message comes first. Wishes about form count as much as wishes about content.",
  scale: [
    {
      label: "followed",
      meaning: "every instruction was kept",
      value: 1,
    },
    {
      label: "loose",
      meaning: "an instruction about form or a minor one was missed",
      value: 0.5,
    },
    {
      label: "broken",
      meaning: "an instruction that matters was missed",
      value: 0,
    },
  ],
  statements: [
    {
      name: "task",
      text: "Was the thing done that the instructions ask for?",
      yes: "it was done",
      no: "it was not, or something else was",
    },
    {
      name: "limits",
      text: "Were all prohibitions kept?",
      yes: "nothing was done that is forbidden",
      no: "something was",
    },
    {
      name: "form",
      text: "Were length, language and form as they were asked for?",
      yes: "all of them were, or none were asked for",
      no: "one was not",
    },
  ],
  rule: [
    {
      level: "broken",
      answers: {
        task: "no",
        limits: "no",
      },
      least: 1,
    },
    {
      level: "loose",
      answers: {
        form: "no",
      },
    },
  ],
  otherwise: "followed",
  evidence: ["transcript"],
  threshold: 0.5,
  examples: [
    {
      record:
        "The system message asks for German and at most two sentences; the agent answers rightly in German with five.",
      answers: {
        task: "yes",
        limits: "yes",
        form: "no",
      },
      reason: "Two sentences were asked for, there are five.",
    },
  ],
});
