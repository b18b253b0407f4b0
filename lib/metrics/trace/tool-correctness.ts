import { array, description, object, picklist, pipe, string } from "valibot";
import { defineMetric } from "../../judge/metric.ts";
import { toolCorrectnessQuestion } from "./tool-correctness-prompt.ts";
import { toolsCalled } from "./tool-calls.ts";

const scale = { all_right: 1, mostly_right: 0.75, mixed: 0.5, mostly_wrong: 0.25, all_wrong: 0 } as const;

/** Whether the right tools were chosen: one call. A trace without tools is judged like any other. */
export const toolCorrectness = defineMetric({
  name: "tool_correctness",
  description: "Evaluates whether the agent selected the tools that the user's request called for.",
  category: "trace",
  threshold: 0.5,
  needs: [],
  question: toolCorrectnessQuestion,
  answer: object({
    user_input: pipe(string(), description("What the user asked.")),
    available_tools: array(object({ name: string(), description: string() })),
    evidence: pipe(array(string()), description("Up to five quotations or span numbers.")),
    reason: pipe(string(), description("Why this verdict, two to four sentences.")),
    verdict: picklist(["all_right", "mostly_right", "mixed", "mostly_wrong", "all_wrong"]),
  }),
  score: ({ user_input, available_tools, evidence, reason, verdict }, { trace }) => ({
    value: scale[verdict],
    reason,
    details: { user_input, tools_called: toolsCalled(trace), available_tools, evidence },
  }),
});
