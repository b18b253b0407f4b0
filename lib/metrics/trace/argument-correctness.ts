import { array, description, object, picklist, pipe, string } from "valibot";
import { clip } from "../../judge/transcript/clip.ts";
import { defineMetric, type Inapplicable } from "../../judge/metric.ts";
import { argumentFacts, mostCalls } from "./argument-facts.ts";
import { traceCatalogue } from "./catalogue.ts";
import { textForm } from "./text-form.ts";
import { toolCalls } from "./tool-calls.ts";

/** The question of argument_correctness. It is put with the calls alone, which the spans tell. */
const question = `Question: were the arguments of each tool call in the notes right for what the user asked?

The notes hold the user's input and the calls in order, each with its parameters and the beginning of its result. An argument is wrong when it contradicts the input or an earlier result, is made up, has the wrong form or unit, or leaves out what the call needed. A value that neither the input nor the shown results hold may come from a part that is not shown: take it for right unless something speaks against it. Whether the tool was the right one is not asked.

Fill the fields in this order.
- user_input: what the user asked, in one or two sentences.
- evidence: up to five short quotations on which your judgement rests, the ones against it included.
- reason: in one to four sentences, which arguments were wrong and why; or that all were right.
- verdicts: one for each call, in order, none left out:
  call: the number of the call;
  reason: in one sentence, what is right or wrong about its arguments;
  verdict: "yes" when its arguments are right, else "no".`;

const longestInput = 1000;

const nothingCalled = (input: string): Inapplicable => ({
  value: 1,
  inapplicable: "no_tool_calls",
  reason: "Does not apply: the trace calls no tool, so there is nothing to evaluate.",
  details: { user_input: clip(input, longestInput), verdicts: [] },
});

/** Whether the tools were called with the right arguments: the share of right calls, one question about all; none without a call. */
export const argumentCorrectness = defineMetric({
  name: "argument_correctness",
  ...traceCatalogue.argument_correctness,
  facts: ({ trace }) => argumentFacts(trace),
  inapplicable: ({ trace }) => (toolCalls(trace).length === 0 ? nothingCalled(textForm(trace.input)) : null),
  question,
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
