import { array, description, object, pipe, string } from "valibot";
import { defineMetric } from "../../judge/metric.ts";
import { traceCatalogue } from "./catalogue.ts";
import { toolsCalled } from "./tool-calls.ts";
import { scale5 } from "./scale5.ts";

const scale = scale5(
  ["all_right", "every tool that the task needs was called, and no other; or the task needs none and none was called"],
  ["mostly_right", "the needed tools were called, with a minor excess or a minor omission"],
  ["mixed", "some choices fit the task, others do not, or a helpful tool was left out"],
  ["mostly_wrong", "a necessary tool was left out or most calls do not serve the task"],
  ["all_wrong", "the calls do not serve the task at all, or tools were necessary and none was called"],
);

const question = `Question: did the agent choose the right tools for what the user asked?

Only the choice of tools counts: which were called, which were not, and how often. Whether their arguments were right or their results good is not asked here, except that a failed call has to be dealt with sensibly.

Fill the fields in this order.
- user_input: what the user asked over all turns, in one or two sentences.
- available_tools: the tools the agent could have called, each with what it is for: those that were called, those defined or listed in prompts, parameters or metadata. At most 30; none if the record shows none.
- evidence: up to five short quotations or span numbers on which your judgement rests, the ones against it included. TOOL spans and the tool calls in messages are the calls that were made; the same call seen in both is one call.
- reason: in two to four sentences, which calls were needed, which were missing, which were needless or of the wrong tool.
- verdict: one of
${scale.explained}

Where the record shows no tool at all, neither called nor available, ask whether the task could be done without one.`;

/** Whether the right tools were chosen: one call. A trace without tools is judged like any other. */
export const toolCorrectness = defineMetric({
  name: "tool_correctness",
  ...traceCatalogue.tool_correctness,
  question,
  answer: object({
    user_input: pipe(string(), description("What the user asked.")),
    available_tools: array(object({ name: string(), description: string() })),
    evidence: pipe(array(string()), description("Up to five quotations or span numbers.")),
    reason: pipe(string(), description("Why this verdict, two to four sentences.")),
    verdict: scale.verdict,
  }),
  score: ({ user_input, available_tools, evidence, reason, verdict }, { trace }) => ({
    value: scale.value(verdict),
    reason,
    details: { user_input, tools_called: toolsCalled(trace), available_tools, evidence },
  }),
});
