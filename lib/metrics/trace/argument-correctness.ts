import { array, description, object, picklist, pipe, string } from "valibot";
import { clip } from "../../judge/transcript/clip.ts";
import { defineMetric, type Inapplicable } from "../../judge/metric.ts";
import type { Answer } from "../../judge/question/answer.ts";
import { argumentFacts, factLimits, partsOf } from "./argument-facts.ts";
import { traceCatalogue } from "./catalogue.ts";
import { textForm } from "./text-form.ts";
import { toolCalls } from "./tool-calls.ts";

/** The question of argument_correctness. It is put with the calls and the conversation around them, which the spans tell. */
const question = `Question: were the arguments of each tool call in the notes right for what the user asked?

The notes hold what the system's messages told the agent, the definitions of the tools as far as they are known, every turn of the user and the calls, each after the turn it follows, with its parameters and the beginning of its result. An argument is wrong when it contradicts what the user wanted at that point, a rule of the system, the tool's definition or an earlier result, is made up, has the wrong form or unit, or leaves out what the call needed. Where the user changed a wish the latest before the call counts. A value that the notes do not hold may come from a part that is not shown: take it for right unless something speaks against it. Whether the tool was the right one is not asked.

Fill the fields in this order.
- user_input: what the user asked over all turns, in one or two sentences.
- evidence: up to five short quotations on which your judgement rests, the ones against it included.
- reason: in one to four sentences, which arguments were wrong and why; or that all were right.
- verdicts: one for each call of the notes, in order, none left out:
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

const answer = object({
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
});

type Verdict = Answer<typeof answer>["verdicts"][number];

/** The first verdict on each call, by its number. */
const byCall = (verdicts: readonly Verdict[]): ReadonlyMap<number, Verdict> =>
  new Map(verdicts.map((verdict) => [Number(/\d+/u.exec(verdict.call)?.[0] ?? 0), verdict] as const).toReversed());

/** Whether the tools were called with the right arguments: the share of right calls, a question for every 40; none without a call. */
export const argumentCorrectness = defineMetric({
  name: "argument_correctness",
  ...traceCatalogue.argument_correctness,
  facts: ({ trace }) => argumentFacts(trace),
  limits: factLimits,
  inapplicable: ({ trace }) => (toolCalls(trace).length === 0 ? nothingCalled(textForm(trace.input)) : null),
  question,
  answer,
  flaw: ({ verdicts }, { trace }, part) => {
    const [from, to] = partsOf(toolCalls(trace))[part] ?? [0, 0];
    const given = byCall(verdicts);
    const numbers = Array.from({ length: to - from }, (_, index) => from + index + 1);
    const missing = numbers.filter((number) => !given.has(number));
    return missing.length === 0 ? null : `There is no verdict on call ${missing.join(", ")}.`;
  },
  joined: (answers) => ({
    user_input: answers[0]?.user_input ?? "",
    evidence: answers.flatMap(({ evidence }) => evidence),
    reason: answers.map(({ reason }) => reason).join(" "),
    verdicts: answers.flatMap(({ verdicts }) => verdicts),
  }),
  score: ({ user_input, evidence, reason, verdicts }, { trace }) => {
    const calls = toolCalls(trace);
    const asked = partsOf(calls).at(-1)?.[1] ?? 0;
    // A verdict on a call that was not made counts for nothing.
    const judged = [...byCall(verdicts)]
      .filter(([number]) => number >= 1 && number <= asked)
      .toSorted(([a], [b]) => a - b)
      .map(([call, { reason: why, verdict }]) => ({ call, reason: why, verdict }));
    const details = {
      user_input,
      verdicts: judged,
      evidence,
      calls_judged: judged.length,
      calls_total: calls.length,
    };
    if (judged.length < asked) {
      const message = "The judge's answer has no verdict on some of the calls.";
      return { value: null, code: "judge_malformed", reason: message, details };
    }
    return { value: judged.filter(({ verdict }) => verdict === "yes").length / judged.length, reason, details };
  },
});
