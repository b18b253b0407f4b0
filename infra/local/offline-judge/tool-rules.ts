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
  type RuleAnswer,
} from "./answer.ts";
import { citedSpans, isHarnessCall, readNotes, repeatedAmong, type JudgedRecord } from "./record.ts";

/** Distinct names of the tools in a record. */
const toolNames = ({ spans }: JudgedRecord): readonly string[] => [
  ...new Set(spans.filter(({ kind }) => kind === "TOOL").map(({ name }) => name)),
];

const correctnessFailedByGrade: FailedStatementsByGrade = [
  [],
  ["lean"],
  ["helpful", "lean"],
  ["mostly_fitting", "helpful", "lean"],
  ["serving", "mostly_fitting", "helpful", "lean"],
];

/** Rule for tool_correctness: the share of failed and repeated tool calls, without those of the agent's harness. */
export const toolCorrectness = (record: JudgedRecord): RuleAnswer => {
  const calls = record.spans.filter((span) => span.kind === "TOOL" && !isHarnessCall(span));
  const failed = calls.filter(({ status }) => status === "ERROR").length;
  const repeated = repeatedAmong(calls);
  const explanation = `${withCount(calls.length, "tool call")}, ${failed} failed, ${repeated.length} repeated an earlier call`;
  return {
    user_input: excerpt(record.input),
    available_tools: toolNames(record).map((name) => ({ name, description: "Seen in use." })),
    statements: statementsForGrade(
      correctnessFailedByGrade,
      gradeOf(shareOf(failed + repeated.length, calls.length), [0, 0.2, 0.5, 0.8]),
      citedSpans(calls, repeated),
      `${explanation}. Rules look at failures and repetitions only; they do not know which tools the task needed.`,
    ),
  };
};

const afterLabel = (block: string, label: string): string =>
  block
    .split("\n")
    .find((line) => line.startsWith(label))
    ?.slice(label.length)
    .trim() ?? "";

/** Rule for argument_correctness: calls that ended in an error count as wrong. */
export const argumentCorrectness = (_record: JudgedRecord, message: string): RuleAnswer => {
  const notes = readNotes(message, "tool calls");
  const blocks = notes.split(/^(?=Call \d+(?: \(#\d+\))?: )/mu).filter((block) => block.startsWith("Call "));
  const verdicts = blocks.map((block) => {
    const parameters = afterLabel(block, "  parameters:");
    const failed = afterLabel(block, "  error:") !== "";
    const hasNoParameters = isEmpty(parameters) || parameters === "(not in the record)";
    const explanation = failed
      ? "the call failed"
      : hasNoParameters
        ? "the call has no parameters"
        : "the call has parameters and no error";
    const verdict = {
      call: /\d+/u.exec(block)?.[0] ?? "",
      reason: ruleReason(`${explanation}.`),
      wanted: "yes",
      allowed: failed ? "no" : "yes",
      grounded: "yes",
    };
    return { verdict, number: /^Call \d+ \((#\d+)\)/u.exec(block)?.slice(1) ?? [] };
  });
  const wrong = verdicts.filter(({ verdict }) => verdict.allowed === "no").length;
  const explanation = `${withCount(verdicts.length, "tool call")}, ${wrong} of them failed`;
  return {
    user_input: excerpt(afterLabel(notes, "User turn 1:")),
    evidence: cited(
      verdicts.flatMap(({ verdict, number }) => (verdict.allowed === "no" ? number : [])),
      verdicts.flatMap(({ number }) => number),
    ),
    reason: ruleReason(`${explanation}. Rules look at errors only; they do not know what the arguments mean.`),
    verdicts: verdicts.map(({ verdict }) => verdict),
  };
};
