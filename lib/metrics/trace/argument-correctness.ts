import { array, description, object, parse, picklist, pipe, string } from "valibot";
import { decide, levelProbabilities, statementAnswers, type Rubric } from "../../domain/metrics/rubric.ts";
import { rounded } from "../../domain/scores/score.ts";
import type { Trace } from "../../domain/traces/trace.ts";
import { clip } from "../../judge/transcript/shorten.ts";
import {
  defineMetric,
  type DecidedScore,
  type InapplicableScore,
  type MetricScore,
  type NoScore,
  type Probabilities,
} from "../../judge/metric/metric.ts";
import type { Predicate } from "../../judge/providers/provider.ts";
import type { Answer } from "../../judge/question/answer.ts";
import {
  answerOf,
  probabilityList,
  roundedProbabilities,
  withoutEvidence,
} from "../../judge/rubric/rubric-decision.ts";
import { exampleText, statementLines } from "../../judge/rubric/rubric-metric.ts";
import { argumentFacts, factLimits, callRanges } from "./argument-facts.ts";
import { traceCatalogue } from "./catalogue.ts";
import { textForm } from "./text-form.ts";
import { toolCalls, type ToolCall } from "./tool-calls.ts";

/** Statements about each tool call; a call is right unless a statement is answered "no". */
const rubric: Rubric<"right" | "wrong", "wanted" | "allowed" | "grounded"> = {
  levels: [
    { name: "right", meaning: "its arguments are right", value: 1 },
    { name: "wrong", meaning: "one of its arguments at least is wrong", value: 0 },
  ],
  statements: [
    {
      name: "wanted",
      text: "They fit what the user wanted at that point.",
      yes: "nothing the user had said by then speaks against them",
      no: "they contradict a wish of the user, or leave out one that the call needed",
    },
    {
      name: "allowed",
      text: "They fit the system's rules and the tool's definition.",
      yes: "form, unit and required values are as they have to be",
      no: "one breaks a rule, has the wrong form or unit, or is missing",
    },
    {
      name: "grounded",
      text: "None is made up.",
      yes: "each can come from the user, an earlier result or a part that is not shown",
      no: "one contradicts an earlier result, or nothing can have told it",
    },
  ],
  rule: [{ level: "wrong", answers: { wanted: "no", allowed: "no", grounded: "no" }, least: 1 }],
  otherwise: "right",
};

/** What is judged, about a text of tool calls and the conversation around them. */
const [subject, instructions] = [
  "were the arguments of each tool call in the notes right for what the user asked?",
  "The notes hold what the system's messages told the agent, the definitions of the tools as far as they are known, every turn of the user and the calls, each after the turn it follows, with its parameters and the beginning of its result. Where the user changed a wish the latest before the call counts. A value that the notes do not hold may come from a part that is not shown: take it for right unless something speaks against it. Whether the tool was the right one is not asked.",
];

const question = `Question: ${subject}

${instructions}

Fill the fields in this order.
- user_input: what the user asked over all turns, in one or two sentences.
- evidence: up to five short quotations on which your judgement rests, the ones against it first.
- reason: in one to four sentences, which arguments were wrong and why; or that all were right.
- verdicts: one for each call of the notes, in order, none left out:
  call: the number of the call;
  reason: in one sentence, what is right or wrong about its arguments;
  then "yes", "no" or "cannot_tell" to each of these statements about its arguments:
${statementLines(rubric)}

${exampleText({
  record: "The user asks for trains to Bern on 3 May; the agent calls search_trains with Bern and 3 June.",
  answer: {
    user_input: "Trains to Bern on 3 May.",
    evidence: ["2026-06-03"],
    reason: "The date is a month late.",
    verdicts: [{ call: "1", reason: "June was never said.", wanted: "no", allowed: "yes", grounded: "no" }],
  },
})}`;

const maxInputLength = 1000;

const noToolCalls = (input: string): InapplicableScore => ({
  value: 1,
  inapplicable: "no_tool_calls",
  reason: "Does not apply: the trace calls no tool, so there is nothing to evaluate.",
  details: { user_input: clip(input, maxInputLength), verdicts: [] },
});

const answer = object({
  user_input: pipe(string(), description("What the user asked.")),
  evidence: pipe(array(string()), description("Up to five quotations.")),
  reason: pipe(string(), description("Which arguments were wrong and why, one to four sentences.")),
  verdicts: array(
    object({
      call: pipe(string(), description("Number of the call.")),
      reason: string(),
      wanted: picklist(statementAnswers),
      allowed: picklist(statementAnswers),
      grounded: picklist(statementAnswers),
    }),
  ),
});

type Verdict = Answer<typeof answer>["verdicts"][number];

/** Maps call numbers to the first verdict on each call. */
const byCall = (verdicts: readonly Verdict[]): ReadonlyMap<number, Verdict> =>
  new Map(verdicts.map((verdict) => [Number(/\d+/u.exec(verdict.call)?.[0] ?? 0), verdict] as const).toReversed());

/** Verdict on a call, with the statements that decided or could not be answered. */
type JudgedCall = {
  readonly call: number;
  readonly reason: string;
  readonly verdict: "yes" | "no" | "cannot_tell";
  readonly by?: readonly string[];
};

/** Maps a judge's answer about a call to yes (right), no or cannot_tell, with the statements that decided or could not be answered. */
const evaluateCall = ([call, { reason, wanted, allowed, grounded }]: readonly [
  call: number,
  verdict: Verdict,
]): JudgedCall => {
  const decision = decide(rubric, { wanted, allowed, grounded });
  const verdict = decision.kind === "open" ? "cannot_tell" : decision.level.value === 1 ? "yes" : "no";
  const by = decision.kind === "open" ? decision.statements : decision.by;
  return { call, reason, verdict, ...(verdict !== "yes" && { by }) };
};

/** Maximum number of calls listed in a reason. */
const maxListedCalls = 10;

const callList = (calls: readonly JudgedCall[]): string =>
  calls
    .slice(0, maxListedCalls)
    .map(({ call, by = [] }) => `${call} (${by.map((name) => `"${name}"`).join(", ")})`)
    .concat(calls.length > maxListedCalls ? [`${calls.length - maxListedCalls} more`] : [])
    .join(", ");

/**
 * Scores the verdicts on the first calls of a trace. Verdicts on call numbers that do not exist are ignored.
 *
 * @param askedCount number of calls that were asked about.
 */
const scoreOf = (
  { user_input, evidence, reason, verdicts }: Answer<typeof answer>,
  calls: readonly ToolCall[],
  askedCount: number,
): MetricScore | NoScore => {
  const judgedCalls = [...byCall(verdicts)]
    .filter(([number]) => number >= 1 && number <= askedCount)
    .toSorted(([a], [b]) => a - b)
    .map(evaluateCall);
  if (judgedCalls.length < askedCount) {
    const message = "The judge's answer has no verdict on some of the calls.";
    return { value: null, code: "judge_malformed", reason: message, details: {} };
  }
  const callsWith = (verdict: JudgedCall["verdict"]) => judgedCalls.filter((each) => each.verdict === verdict);
  const [rightCalls, wrongCalls, undecidedCalls] = [callsWith("yes"), callsWith("no"), callsWith("cannot_tell")];
  const decidedCount = rightCalls.length + wrongCalls.length;
  const undecidedText =
    undecidedCalls.length === 0 ? "" : `Cannot be told from what was shown: call ${callList(undecidedCalls)}.`;
  if (2 * decidedCount < judgedCalls.length) {
    const message = `${undecidedText} ${reason}`;
    return { value: null, code: "insufficient_evidence", reason: message, details: { verdicts: judgedCalls } };
  }
  const wrongText = wrongCalls.length === 0 ? "" : `Wrong: call ${callList(wrongCalls)}.`;
  return {
    value: rightCalls.length / decidedCount,
    reason: [reason.trim(), wrongText, undecidedText].filter((text) => text !== "").join(" "),
    details: {
      user_input,
      verdicts: judgedCalls,
      evidence,
      calls_judged: judgedCalls.length,
      ...(undecidedCalls.length > 0 && { calls_undecided: undecidedCalls.length }),
      calls_total: calls.length,
    },
  };
};

/** Numbers of the calls that a decision model is asked about, from 1, each with the place of its first predicate. */
const callsOfDecision = (trace: Trace): readonly (readonly [call: number, place: number])[] => {
  const [[, count] = [0, 0]] = callRanges(toolCalls(trace));
  return Array.from({ length: count }, (_, index) => [index + 1, index * rubric.statements.length]);
};

const callPredicates = (call: number): readonly Predicate[] =>
  rubric.statements.map(({ name, text, yes, no }) => ({
    name: `call_${call}_${name}`,
    text: `About the arguments of call ${call} in the notes: ${text}`,
    yes,
    no,
  }));

const [callNames, rightLevel] = [rubric.statements.map(({ name }) => name), "right"];

/** Scores the predicates of a decision model: a call is right if no statement about its arguments is improbable. */
const decidedScore = (probabilities: Probabilities, trace: Trace): DecidedScore => {
  const calls = callsOfDecision(trace).map(([call, place]) => {
    const entries = callNames.map((name, index) => [name, probabilities[place + index] ?? null] as const);
    const answers = Object.fromEntries(entries.map(([name, probability]) => [name, answerOf(probability)]));
    const right = levelProbabilities(rubric, Object.fromEntries(entries)).get(rightLevel) ?? 0;
    const certainty = Object.values(answers).includes("no") ? 1 - right : right;
    return { call, entries, verdict: { call: String(call), reason: "", ...answers }, right, certainty };
  });
  const verdicts = calls.map(({ verdict }) => parse(answer.entries.verdicts.item, verdict));
  const reply = { user_input: "", evidence: [], reason: "", verdicts };
  const result = scoreOf(reply, toolCalls(trace), calls.length);
  const listed = calls.map(
    ({ call, entries }) => [`call_${call}`, roundedProbabilities(Object.fromEntries(entries))] as const,
  );
  const details = { ...result.details, probabilities: Object.fromEntries(listed), ...withoutEvidence };
  if (result.value === null) return { ...result, code: "judge_refused", details };
  const confidence = calls.reduce((product, { certainty }) => product * certainty, 1);
  const expected = calls.reduce((sum, { right }) => sum + right, 0) / calls.length;
  const least = calls.map(({ call, right }) => [`call_${call}`, right] as const).toSorted(([, a], [, b]) => a - b);
  const reason = `${result.reason} Right: ${probabilityList(least.slice(0, maxListedCalls))}.`.trim();
  return {
    ...result,
    reason,
    details: { ...details, confidence: rounded(confidence), expected_value: rounded(expected) },
  };
};

/**
 * Metric of tool arguments: the share of calls with right arguments among the calls that the judge can decide. Asks one question
 * per 40 calls. No score if fewer than half of the calls can be decided; not applicable to traces without tool calls.
 */
export const argumentCorrectness = defineMetric({
  name: "argument_correctness",
  ...traceCatalogue.argument_correctness,
  facts: ({ trace }) => argumentFacts(trace),
  limits: factLimits,
  rubric,
  criterion: `${subject} ${instructions}`,
  inapplicable: ({ trace }) => (toolCalls(trace).length === 0 ? noToolCalls(textForm(trace.input)) : null),
  question,
  answer,
  findFlaw: ({ verdicts }, { trace }, part) => {
    const [from, to] = callRanges(toolCalls(trace))[part] ?? [0, 0];
    const verdictsByCall = byCall(verdicts);
    const numbers = Array.from({ length: to - from }, (_, index) => from + index + 1);
    const missing = numbers.filter((number) => !verdictsByCall.has(number));
    return missing.length === 0 ? null : `There is no verdict on call ${missing.join(", ")}.`;
  },
  joinAnswers: (answers) => ({
    user_input: answers[0]?.user_input ?? "",
    evidence: answers.flatMap(({ evidence }) => evidence),
    reason: answers.map(({ reason }) => reason).join(" "),
    verdicts: answers.flatMap(({ verdicts }) => verdicts),
  }),
  decisionForm: {
    hasNotes: true,
    predicates: ({ trace }) => callsOfDecision(trace).flatMap(([call]) => callPredicates(call)),
    score: (probabilities, { trace }) => decidedScore(probabilities, trace),
  },
  score: (verdict, { trace }) => {
    const calls = toolCalls(trace);
    return scoreOf(verdict, calls, callRanges(calls).at(-1)?.[1] ?? 0);
  },
});
