import { isEmpty, placeOf, said, shareOf, short, statementsAt, type NoAt, type RuleAnswer } from "./answer.ts";
import { readNotes, type JudgedRecord } from "./record.ts";

/** Names of the tools of a record, each once. */
const toolNames = ({ spans }: JudgedRecord): readonly string[] => [
  ...new Set(spans.filter(({ kind }) => kind === "TOOL").map(({ name }) => name)),
];

const correctnessNoAt: NoAt = [
  [],
  ["lean"],
  ["helpful", "lean"],
  ["mostly_fitting", "helpful", "lean"],
  ["serving", "mostly_fitting", "helpful", "lean"],
];

/** tool_correctness by failed and repeated calls. */
export const toolCorrectness = (record: JudgedRecord): RuleAnswer => {
  const calls = record.spans.filter(({ kind }) => kind === "TOOL");
  const failed = calls.filter(({ status }) => status === "ERROR").length;
  const repeated = calls.length - new Set(calls.map(({ name, input }) => `${name}\n${input}`)).size;
  const why = `${calls.length} tool calls, ${failed} failed, ${repeated} repeated an earlier call`;
  return {
    user_input: short(record.input),
    available_tools: toolNames(record).map((name) => ({ name, description: "Seen in use." })),
    statements: statementsAt(
      correctnessNoAt,
      placeOf(shareOf(failed + repeated, calls.length), [0, 0.2, 0.5, 0.8]),
      why,
      `${why}. Rules look at failures and repetitions only; they do not know which tools the task needed.`,
    ),
  };
};

const afterLabel = (block: string, label: string): string =>
  block
    .split("\n")
    .find((line) => line.startsWith(label))
    ?.slice(label.length)
    .trim() ?? "";

/** argument_correctness by parameters that are missing and calls that ended in an error. */
export const argumentCorrectness = (_record: JudgedRecord, message: string): RuleAnswer => {
  const notes = readNotes(message, "tool calls");
  const blocks = notes.split(/^(?=Call \d+(?: \(#\d+\))?: )/mu).filter((block) => block.startsWith("Call "));
  const verdicts = blocks.map((block) => {
    const parameters = afterLabel(block, "  parameters:");
    const failed = afterLabel(block, "  error:") !== "";
    const none = isEmpty(parameters) || parameters === "(not in the record)";
    const why = failed
      ? "the call failed"
      : none
        ? "the call has no parameters"
        : "the call has parameters and no error";
    return {
      call: /\d+/u.exec(block)?.[0] ?? "",
      reason: said(`${why}.`),
      wanted: "yes",
      allowed: failed ? "no" : "yes",
      grounded: "yes",
    };
  });
  const wrong = verdicts.filter(({ allowed }) => allowed === "no").length;
  const why = `${verdicts.length} tool calls, ${wrong} of them failed`;
  return {
    user_input: short(afterLabel(notes, "User turn 1:")),
    evidence: [why],
    reason: said(`${why}. Rules look at errors only; they do not know what the arguments mean.`),
    verdicts,
  };
};
