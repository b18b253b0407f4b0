import {
  cited,
  withCount,
  isEmpty,
  gradeOf,
  ruleReason,
  shareOf,
  excerpt,
  statementsForGrade,
  type FailedStatementsByGrade,
  type Grade,
  type RuleAnswer,
} from "./answer.ts";
import { reportsFailure } from "./failure-report.ts";
import { citedSpans, isHarnessCall, numbersAgainst, repeatedAmong, type JudgedRecord } from "./record.ts";

const handOverTool = /transfer|hand_?(?:off|over)|escalat|human|live_agent/iu;
const changingTool =
  /^(?:add|book|cancel|change|create|delete|edit|exchange|insert|modify|order|pay|place|post|refund|remove|reserve|return|schedule|send|set|submit|update|upgrade|write)/iu;
/** Matches a request for a change, but not a question about one: "please cancel", "I'd like to change", "Book". */
const changeRequest =
  /(?:^|[.!?\n]\s*|\b(?:please|can you|could you|would you|want to|like to|need to|have to|help me|go ahead and|let's)\s+(?:\w+\s+){0,2}?)(?:add|book|cancel|change|create|delete|downgrade|exchange|modify|refund|remove|reschedule|reserve|update|upgrade)\b/iu;
const refusalPhrase =
  /\b(?:unable to|cannot|can't|can not|not able to|not possible|not allowed|i'm sorry|i am sorry)\b/iu;

/** Grades a trace that completed with an output, with the reason. */
const outcomeOf = ({ output, turns, spans }: JudgedRecord): readonly [place: Grade, why: string] => {
  const tools = spans.filter(({ kind }) => kind === "TOOL");
  const failed = spans.filter((span) => span.status === "ERROR").length;
  const requestsChange = turns.some((turn) => changeRequest.test(turn));
  if (reportsFailure(output)) return [3, "the output reports an error"];
  const [isHandedOver, isRefusal] = [tools.some(({ name }) => handOverTool.test(name)), refusalPhrase.test(output)];
  if (isHandedOver) return [2, "the agent handed over to a person"];
  if (isRefusal) return [2, "the agent refused, or could not do it"];
  if (tools.at(-1)?.status === "ERROR") return [2, "the last tool call failed"];
  if (requestsChange && tools.length > 0 && !tools.some(({ name }) => changingTool.test(name))) {
    return [3, "the user asked for a change, and no call of a tool makes one"];
  }
  if (failed === 0) return [0, "the trace completed with an output and no span failed"];
  const share = shareOf(failed, spans.length);
  return [share <= 0.1 ? 1 : 2, `the trace completed, but ${failed} of ${withCount(spans.length, "span")} failed`];
};

const completionFailedByGrade: FailedStatementsByGrade = [
  [],
  ["complete"],
  ["main", "complete"],
  ["substantial", "main", "complete"],
  ["delivered", "substantial", "main", "complete"],
];

/** Rule for task_completion: statuses of the trace and its spans, and names of tool calls that hand over or make changes. */
export const taskCompletion = (record: JudgedRecord): RuleAnswer => {
  const { status, input, output, spans } = record;
  const failed = spans.filter((span) => span.status === "ERROR").length;
  const verdict = (): readonly [place: Grade, why: string] => {
    if (isEmpty(output)) return [4, "the trace has no output"];
    if (status === "ERROR") return [3, "the trace ended with status ERROR"];
    if (status !== "COMPLETED") return [2, `the trace has an output but its status is ${status}`];
    return outcomeOf(record);
  };
  const [grade, explanation] = verdict();
  return {
    task: excerpt(input),
    outcome: ruleReason(`status ${status}, ${withCount(spans.length, "span")}, ${failed} failed.`),
    statements: statementsForGrade(
      completionFailedByGrade,
      grade,
      [`status ${status}`],
      `${explanation}. Rules look at statuses and names of calls only; they do not understand the task.`,
    ),
  };
};

const repeatedOf = (spans: JudgedRecord["spans"]): JudgedRecord["spans"] =>
  repeatedAmong(spans.filter(({ kind }) => kind === "TOOL" || kind === "RETRIEVER"));

const efficiencyFailedByGrade: FailedStatementsByGrade = [
  [],
  ["all_needed"],
  ["few_needless", "all_needed"],
  ["mostly_needed", "few_needless", "all_needed"],
  ["forward", "mostly_needed", "few_needless", "all_needed"],
];

/** Rule for step_efficiency: the share of repeated calls and failed spans, without calls of the agent's harness. */
export const stepEfficiency = ({ input, spans: allSpans }: JudgedRecord): RuleAnswer => {
  const spans = allSpans.filter((span) => !isHarnessCall(span));
  const failed = spans.filter(({ status }) => status === "ERROR").length;
  const repeated = repeatedOf(spans);
  const explanation = `${withCount(spans.length, "span")}, ${repeated.length} repeated an earlier call, ${failed} failed`;
  return {
    task: excerpt(input),
    statements: statementsForGrade(
      efficiencyFailedByGrade,
      gradeOf(shareOf(repeated.length + failed, spans.length), [0, 0.1, 0.3, 0.6]),
      citedSpans(spans, repeated),
      `${explanation}. Rules count repetitions and failures only; they do not know which steps the task needed.`,
    ),
  };
};

const hedges =
  /\b(?:maybe|perhaps|possibly|probably|i think|i guess|i am not sure|i'm not sure|not certain|unclear|might be|could be|sorry)\b/giu;

const confidenceFailedByGrade: FailedStatementsByGrade = [
  [],
  ["calibrated"],
  ["unrepeated", "calibrated"],
  ["prevailing", "unrepeated", "calibrated"],
  ["strategy", "prevailing", "unrepeated", "calibrated"],
];

/** Rule for confidence: the number of hedging words in the output, repeated calls and failed spans. */
export const confidence = ({ output, spans: allSpans }: JudgedRecord): RuleAnswer => {
  const spans = allSpans.filter((span) => !isHarnessCall(span));
  const hedging = output.match(hedges) ?? [];
  const failed = spans.filter(({ status }) => status === "ERROR").length;
  const repeated = repeatedOf(spans);
  const explanation = `${withCount(hedging.length, "hedging word")} in the output, ${withCount(repeated.length, "repeated call")}, ${withCount(failed, "failed span")}`;
  return {
    statements: statementsForGrade(
      confidenceFailedByGrade,
      gradeOf(hedging.length + repeated.length + failed, [0, 1, 3, 6]),
      cited([...hedging, ...numbersAgainst(spans, repeated)], [excerpt(output.split("\n")[0] ?? "")]),
      `${explanation}. Rules count words and repetitions only; they do not follow the agent's reasoning.`,
    ),
  };
};
