import { array, description, object, picklist, pipe, string } from "valibot";
import { clip } from "../../judge/transcript/clip.ts";
import { defineMetric, type Scored } from "../../judge/metric.ts";
import { argumentCorrectnessQuestion } from "./argument-correctness-prompt.ts";
import { argumentFacts, mostCalls } from "./argument-facts.ts";
import { textForm } from "./text-form.ts";
import { toolCalls } from "./tool-calls.ts";

const longestInput = 1000;

const nothingCalled = (input: string): Scored => ({
  value: 1,
  reason: "Does not apply: the trace calls no tool, so there is nothing to evaluate.",
  details: { user_input: clip(input, longestInput), verdicts: [] },
});

/** Whether the tools were called with the right arguments: the share of right calls, one question about all; none without a call. */
export const argumentCorrectness = defineMetric({
  name: "argument_correctness",
  description: "Evaluates whether the agent called its tools with the right arguments for the task.",
  category: "trace",
  threshold: 0.5,
  needs: [],
  sees: "notes",
  facts: ({ trace }) => argumentFacts(trace),
  inapplicable: ({ trace }) => (toolCalls(trace).length === 0 ? nothingCalled(textForm(trace.input)) : null),
  question: argumentCorrectnessQuestion,
  answer: object({
    user_input: pipe(string(), description("What the user asked.")),
    evidence: pipe(array(string()), description("Up to five quotations.")),
    reason: pipe(string(), description("Which arguments were wrong and why, one to four sentences.")),
    verdicts: array(
      object({
        call: pipe(string(), description("Number of the call.")),
        reason: string(),
        verdict: picklist(["yes", "no"]),
      }),
    ),
  }),
  score: ({ user_input, evidence, reason, verdicts }, { trace }) => {
    const calls = toolCalls(trace);
    const asked = calls.slice(0, mostCalls);
    // A verdict on a call that was not made counts for nothing, and of two on the same call the first does.
    const judged = asked.flatMap((_, index) => {
      const found = verdicts.find(({ call }) => /\d+/u.exec(call)?.[0] === String(index + 1));
      return found === undefined ? [] : [{ ...found, call: index + 1 }];
    });
    const details = {
      user_input,
      verdicts: judged,
      evidence,
      calls_judged: judged.length,
      calls_total: calls.length,
    };
    if (judged.length === 0) {
      const message = "The judge's answer has a verdict on none of the calls.";
      return { value: null, code: "judge_malformed", reason: message, details };
    }
    return { value: judged.filter(({ verdict }) => verdict === "yes").length / judged.length, reason, details };
  },
});
