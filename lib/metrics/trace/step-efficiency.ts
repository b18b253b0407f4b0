import { string } from "valibot";
import { defineRubricMetric } from "../../judge/rubric/rubric-metric.ts";
import { traceCatalogue } from "./catalogue.ts";
import { unlessStepsAreShown } from "./nothing-to-judge.ts";
import { scale5 } from "./scale5.ts";
import { harnessCallsExempt } from "./tool-calls.ts";

/** Metric of step efficiency: the absence of unnecessary steps. One judge call. */
export const stepEfficiency = defineRubricMetric({
  name: "step_efficiency",
  ...traceCatalogue.step_efficiency,
  inapplicable: unlessStepsAreShown,
  question: "was the task done without unnecessary steps?",
  instructions: `A step is a span, or a message of the agent. Unnecessary is what the task could do without: a repetition, a call whose result was at hand, speculative work, work nobody asked for. A retry after a failure is needed once. How fast a step ran and whether the result is right are not asked. ${harnessCallsExempt}`,
  notes: {
    schemas: { task: string() },
    explained: {
      task: "the user's goal in one or two sentences, drawn from every request of the user over the whole record, the latest wish where two contradict each other; not what the agent did.",
    },
  },
  rubric: {
    levels: scale5(
      ["minimal", "every step serves the task and none could be left out"],
      ["slight_excess", "one or two small steps could be left out"],
      ["some_waste", "several steps could be left out, but the work goes forward"],
      ["wasteful", "most of the work is redundant, speculative or off the task"],
      ["aimless", "hardly a step serves the task, or the same is done over and over"],
    ),
    statements: [
      {
        name: "forward",
        text: "The work goes forward.",
        yes: "steps build on each other towards the task",
        no: "hardly a step serves it, or the same is done over and over",
      },
      {
        name: "mostly_needed",
        text: "Most of the steps are needed.",
        yes: "more than half serve the task",
        no: "half or more are redundant, speculative or off the task",
      },
      {
        name: "few_needless",
        text: "At most two steps could be left out.",
        yes: "none, one or two could be",
        no: "three or more could be",
      },
      {
        name: "all_needed",
        text: "Every step is needed.",
        yes: "none could be left out",
        no: "one at least could be",
      },
    ],
    rule: [
      { level: "aimless", answers: { forward: "no" } },
      { level: "wasteful", answers: { mostly_needed: "no" } },
      { level: "some_waste", answers: { few_needless: "no" } },
      { level: "slight_excess", answers: { all_needed: "no" } },
    ],
    otherwise: "minimal",
  },
  example: {
    record: "Asked for the weather in Oslo, the agent looks up Oslo (#1), then Bergen (#2), then answers for Oslo.",
    notes: { task: "The weather in Oslo." },
    statements: {
      forward: [["#1"], "The first step finds what the answer says.", "yes"],
      mostly_needed: [["#1", "Oslo: 4 degrees, rain."], "Look-up and answer serve the task.", "yes"],
      few_needless: [["#2"], "Bergen is the only needless step.", "yes"],
      all_needed: [["#2"], "Nobody asked for Bergen.", "no"],
    },
  },
});
