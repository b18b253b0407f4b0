import type { JudgedRecord } from "./offline-judge-record.ts";

/** An answer of the rule judge: fields of the schema that the rules know; the rest is filled generically. */
export type RuleAnswer = Readonly<Record<string, unknown>>;

const said = (text: string): string => `offline/rules: ${text}`;
const short = (text: string): string => (text === "" ? "(empty)" : text.replace(/\s+/gu, " ").slice(0, 300));
const isEmpty = (text: string): boolean => ["", '""', "null", "{}", "[]"].includes(text);

/** Names of the tools of a record, each once. */
const toolNames = ({ spans }: JudgedRecord): readonly string[] => [
  ...new Set(spans.filter(({ kind }) => kind === "TOOL").map(({ name }) => name)),
];

const taskCompletion = (record: JudgedRecord): RuleAnswer => {
  const { status, input, output, spans } = record;
  const failed = spans.filter((span) => span.status === "ERROR").length;
  const share = spans.length === 0 ? 0 : failed / spans.length;
  const verdict = (): readonly [verdict: string, why: string] => {
    if (isEmpty(output)) return ["not_at_all", "the trace has no output"];
    if (status === "ERROR") return ["barely", "the trace ended with status ERROR"];
    if (status !== "COMPLETED") return ["partly", `the trace has an output but its status is ${status}`];
    if (failed === 0) return ["fully", "the trace completed with an output and no span failed"];
    return [share <= 0.1 ? "mostly" : "partly", `the trace completed, but ${failed} of ${spans.length} spans failed`];
  };
  const [anchor, why] = verdict();
  return {
    task: short(input),
    outcome: said(`status ${status}, ${spans.length} spans, ${failed} failed.`),
    evidence: [`status ${status}`, `${failed} failed spans`],
    reason: said(`${why}. Rules look at statuses only; they do not understand the task.`),
    verdict: anchor,
  };
};

const toolCorrectness = (record: JudgedRecord): RuleAnswer => {
  const calls = record.spans.filter(({ kind }) => kind === "TOOL");
  const failed = calls.filter(({ status }) => status === "ERROR").length;
  const repeated = calls.length - new Set(calls.map(({ name, input }) => `${name}\n${input}`)).size;
  const share = calls.length === 0 ? 0 : (failed + repeated) / calls.length;
  const anchors = [
    [0, "all_right"],
    [0.2, "mostly_right"],
    [0.5, "mixed"],
    [0.8, "mostly_wrong"],
  ] as const;
  const why = `${calls.length} tool calls, ${failed} failed, ${repeated} repeated an earlier call`;
  return {
    user_input: short(record.input),
    available_tools: toolNames(record).map((name) => ({ name, description: "Seen in use." })),
    evidence: [why],
    reason: said(`${why}. Rules look at failures and repetitions only; they do not know which tools the task needed.`),
    verdict: anchors.find(([most]) => share <= most)?.[1] ?? "all_wrong",
  };
};

/** The rules by name of the answer's schema, which is the metric's. */
export const rules: ReadonlyMap<string, (record: JudgedRecord) => RuleAnswer> = new Map([
  ["task_completion", taskCompletion],
  ["tool_correctness", toolCorrectness],
]);
