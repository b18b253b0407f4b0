import { array, object, string } from "valibot";
import { defineRubricMetric } from "../../judge/rubric/rubric-metric.ts";
import { traceCatalogue } from "./catalogue.ts";
import { unlessToolsAreShown } from "./nothing-to-judge.ts";
import { scale5 } from "./scale5.ts";
import { harnessCallsExempt, toolsCalled } from "./tool-calls.ts";

/** Metric of the choice of tools. One judge call; it does not apply where tools are neither called nor offered. */
export const toolCorrectness = defineRubricMetric({
  name: "tool_correctness",
  ...traceCatalogue.tool_correctness,
  inapplicable: unlessToolsAreShown,
  question: "did the agent choose the right tools for what the user asked?",
  instructions: `Only the choice of tools counts: which were called, which were not, and how often. Whether their arguments were right or their results good is not asked here, except that a failed call has to be dealt with sensibly. TOOL spans and the tool calls in messages are the calls that were made; the same call seen in both is one call. Where the record shows no tool at all, neither called nor available, ask whether the task could be done without one. ${harnessCallsExempt}`,
  notes: {
    schemas: { user_input: string(), available_tools: array(object({ name: string(), description: string() })) },
    explained: {
      user_input: "what the user asked over all turns, in one or two sentences.",
      available_tools:
        "the tools the agent could have called, each with what it is for: those that were called, those defined or listed in prompts, parameters or metadata. At most 30; none if the record shows none.",
    },
  },
  rubric: {
    levels: scale5(
      [
        "all_right",
        "every tool that the task needs was called, and no other; or the task needs none and none was called",
      ],
      ["mostly_right", "the needed tools were called, with some excess"],
      ["mixed", "the necessary tools were called, but a helpful one was left out"],
      ["mostly_wrong", "a necessary tool was left out or most calls do not serve the task"],
      ["all_wrong", "the calls do not serve the task at all, or tools were necessary and none was called"],
    ),
    statements: [
      {
        name: "serving",
        text: "The choice of tools serves the task.",
        yes: "a call at least serves it, or it needs no tool and none was called",
        no: "no call serves it, or tools were necessary and none was called",
      },
      {
        name: "necessary",
        text: "Every tool without which the task cannot be done was called.",
        yes: "each was, or it needs none",
        no: "one at least was not",
      },
      {
        name: "mostly_fitting",
        text: "Most of the calls serve the task.",
        yes: "more than half do, or none was made",
        no: "half or more do not",
      },
      {
        name: "helpful",
        text: "No tool that would have helped was left out.",
        yes: "what was not called would have changed little",
        no: "the result would have been plainly better or surer with one that was not called",
      },
      {
        name: "lean",
        text: "Every call was needed.",
        yes: "none is a repetition or of a tool that does not fit",
        no: "one at least is",
      },
    ],
    rule: [
      { level: "all_wrong", answers: { serving: "no" } },
      { level: "mostly_wrong", answers: { necessary: "no", mostly_fitting: "no" }, least: 1 },
      { level: "mixed", answers: { helpful: "no" } },
      { level: "mostly_right", answers: { lean: "no" } },
    ],
    otherwise: "all_right",
  },
  example: {
    record:
      "Asked what 12 euros are in yen today, the agent calls get_rate (#2), then get_rate again (#3), and answers.",
    notes: {
      user_input: "What 12 euros are in yen today.",
      available_tools: [{ name: "get_rate", description: "Exchange rate of a day." }],
    },
    statements: {
      serving: [["#2"], "The rate is what the task needs.", "yes"],
      necessary: [["#2"], "No other tool is necessary.", "yes"],
      mostly_fitting: [["#2", "#3"], "Both are calls of the right tool.", "yes"],
      helpful: [[], "No other tool is available.", "yes"],
      lean: [["#3"], "The second call repeats the first.", "no"],
    },
  },
  details: ({ user_input, available_tools }, { trace }) => ({
    user_input,
    tools_called: toolsCalled(trace),
    available_tools,
  }),
});
