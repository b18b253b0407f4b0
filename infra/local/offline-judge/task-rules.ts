import {
  isEmpty,
  placeOf,
  said,
  shareOf,
  short,
  statementsAt,
  type NoAt,
  type Place,
  type RuleAnswer,
} from "./answer.ts";
import type { JudgedRecord } from "./record.ts";

const handOver = /transfer|hand_?(?:off|over)|escalat|human|live_agent/iu;
const writing =
  /^(?:add|book|cancel|change|create|delete|edit|exchange|insert|modify|order|pay|place|post|refund|remove|reserve|return|schedule|send|set|submit|update|upgrade|write)/iu;
/** A wish for a change, not a question about one: "please cancel", "I'd like to change", "Book". */
const asking =
  /(?:^|[.!?\n]\s*|\b(?:please|can you|could you|would you|want to|like to|need to|have to|help me|go ahead and|let's)\s+(?:\w+\s+){0,2}?)(?:add|book|cancel|change|create|delete|downgrade|exchange|modify|refund|remove|reschedule|reserve|update|upgrade)\b/iu;
const refusing = /\b(?:unable to|cannot|can't|can not|not able to|not possible|not allowed|i'm sorry|i am sorry)\b/iu;

/** What is known of how a task came out where it completed with an output: its place, and why. */
const outcomeOf = ({ output, turns, spans }: JudgedRecord): readonly [place: Place, why: string] => {
  const tools = spans.filter(({ kind }) => kind === "TOOL");
  const failed = spans.filter((span) => span.status === "ERROR").length;
  const asked = turns.some((turn) => asking.test(turn));
  const [handed, refused] = [tools.some(({ name }) => handOver.test(name)), refusing.test(output)];
  if (handed) return [2, "the agent handed over to a person"];
  if (refused) return [2, "the agent refused, or could not do it"];
  if (tools.at(-1)?.status === "ERROR") return [2, "the last tool call failed"];
  if (asked && tools.length > 0 && !tools.some(({ name }) => writing.test(name))) {
    return [3, "the user asked for a change, and no call of a tool makes one"];
  }
  if (failed === 0) return [0, "the trace completed with an output and no span failed"];
  const share = shareOf(failed, spans.length);
  return [share <= 0.1 ? 1 : 2, `the trace completed, but ${failed} of ${spans.length} spans failed`];
};

const completionNoAt: NoAt = [
  [],
  ["complete"],
  ["main", "complete"],
  ["substantial", "main", "complete"],
  ["delivered", "substantial", "main", "complete"],
];

/** task_completion by the statuses of the trace and its spans, and by what the calls say of hand-overs and changes. */
export const taskCompletion = (record: JudgedRecord): RuleAnswer => {
  const { status, input, output, spans } = record;
  const failed = spans.filter((span) => span.status === "ERROR").length;
  const verdict = (): readonly [place: Place, why: string] => {
    if (isEmpty(output)) return [4, "the trace has no output"];
    if (status === "ERROR") return [3, "the trace ended with status ERROR"];
    if (status !== "COMPLETED") return [2, `the trace has an output but its status is ${status}`];
    return outcomeOf(record);
  };
  const [place, why] = verdict();
  return {
    task: short(input),
    outcome: said(`status ${status}, ${spans.length} spans, ${failed} failed.`),
    statements: statementsAt(
      completionNoAt,
      place,
      `status ${status}`,
      `${why}. Rules look at statuses and names of calls only; they do not understand the task.`,
    ),
  };
};

const repeatedOf = (spans: JudgedRecord["spans"]): number => {
  const calls = spans.filter(({ kind }) => kind === "TOOL" || kind === "RETRIEVER");
  return calls.length - new Set(calls.map(({ name, input }) => `${name}\n${input}`)).size;
};

const efficiencyNoAt: NoAt = [
  [],
  ["all_needed"],
  ["few_needless", "all_needed"],
  ["mostly_needed", "few_needless", "all_needed"],
  ["forward", "mostly_needed", "few_needless", "all_needed"],
];

/** step_efficiency by repeated calls and failed spans. */
export const stepEfficiency = ({ input, spans }: JudgedRecord): RuleAnswer => {
  const failed = spans.filter(({ status }) => status === "ERROR").length;
  const repeated = repeatedOf(spans);
  const why = `${spans.length} spans, ${repeated} repeated an earlier call, ${failed} failed`;
  return {
    task: short(input),
    statements: statementsAt(
      efficiencyNoAt,
      placeOf(shareOf(repeated + failed, spans.length), [0, 0.1, 0.3, 0.6]),
      why,
      `${why}. Rules count repetitions and failures only; they do not know which steps the task needed.`,
    ),
  };
};

const hedges =
  /\b(?:maybe|perhaps|possibly|probably|i think|i guess|i am not sure|i'm not sure|not certain|unclear|might be|could be|sorry)\b/giu;

const confidenceNoAt: NoAt = [
  [],
  ["calibrated"],
  ["unrepeated", "calibrated"],
  ["prevailing", "unrepeated", "calibrated"],
  ["strategy", "prevailing", "unrepeated", "calibrated"],
];

/** confidence by hedging words in the output, repeated calls and failed spans. */
export const confidence = ({ output, spans }: JudgedRecord): RuleAnswer => {
  const hedging = output.match(hedges)?.length ?? 0;
  const failed = spans.filter(({ status }) => status === "ERROR").length;
  const repeated = repeatedOf(spans);
  const why = `${hedging} hedging words in the output, ${repeated} repeated calls, ${failed} failed spans`;
  return {
    statements: statementsAt(
      confidenceNoAt,
      placeOf(hedging + repeated + failed, [0, 1, 3, 6]),
      why,
      `${why}. Rules count words and repetitions only; they do not follow the agent's reasoning.`,
    ),
  };
};
