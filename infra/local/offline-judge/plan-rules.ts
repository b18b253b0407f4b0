import { array, object, parse, string } from "valibot";
import { placeOf, said, shareOf, short, statementsAt, type NoAt, type RuleAnswer } from "./answer.ts";
import { readNotes, type JudgedRecord } from "./record.ts";

const mostSteps = 20;

/** Steps written as a numbered list, with or without the word step; short values stand in a transcript as JSON. */
const numbered = (text: string): readonly string[] =>
  [...text.replaceAll(/\\n|"/gu, "\n").matchAll(/^\s*(?:step\s+)?\d{1,2}[.):]\s+(?<step>\S.*)$/gimu)].map(
    ({ groups }) => groups?.["step"] ?? "",
  );

/** The plan, by the first list of at least two numbered steps that the agent writes before its first tool call. */
export const plan = ({ input, spans }: JudgedRecord): RuleAnswer => {
  const firstCall = spans.findIndex(({ kind }) => kind === "TOOL");
  const before = firstCall === -1 ? spans.filter(({ output }) => /\bplan\b/iu.test(output)) : spans.slice(0, firstCall);
  const steps = before.map(({ output }) => numbered(output)).find(({ length }) => length > 1) ?? [];
  return {
    task: short(input),
    evidence: [said(`${steps.length} numbered steps before the first tool call.`)],
    plan: steps.slice(0, mostSteps).map(short),
  };
};

const extracted = object({ task: string(), plan: array(string()) });

const notedPlan = (message: string) => parse(extracted, JSON.parse(readNotes(message, "plan")));

const words = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? [];

const adherenceNoAt: NoAt = [
  [],
  ["exact"],
  ["essential", "exact"],
  ["half", "essential", "exact"],
  ["begun", "half", "essential", "exact"],
];

/** plan_adherence by the steps of which a word turns up in the spans. */
export const planAdherence = ({ spans }: JudgedRecord, message: string): RuleAnswer => {
  const { plan: steps } = notedPlan(message);
  const seen = new Set(spans.flatMap(({ name, input }) => words(`${name.replaceAll("_", " ")} ${input}`)));
  const missing = steps.filter((step) => !words(step).some((word) => seen.has(word))).length;
  const why = `of ${steps.length} planned steps ${missing} share no word with a span's name or input`;
  return {
    statements: statementsAt(
      adherenceNoAt,
      placeOf(shareOf(missing, steps.length), [0, 0.25, 0.5, 0.75]),
      why,
      `${why}. Rules compare words only; they do not know what was done.`,
    ),
  };
};

const qualityNoAt: NoAt = [
  [],
  ["precise"],
  ["direct", "precise"],
  ["coherent", "direct", "precise"],
  ["aimed", "coherent", "direct", "precise"],
];

/** plan_quality by repeated steps and steps of a single word. */
export const planQuality = (_record: JudgedRecord, message: string): RuleAnswer => {
  const { plan: steps } = notedPlan(message);
  const repeated = steps.length - new Set(steps.map((step) => step.toLowerCase())).size;
  const vague = steps.filter((step) => words(step).length < 2).length;
  const why = `${steps.length} steps, ${repeated} repeated, ${vague} of fewer than two words`;
  return {
    statements: statementsAt(
      qualityNoAt,
      placeOf(shareOf(repeated + vague, steps.length), [0, 0.25, 0.5, 0.75]),
      why,
      `${why}. Rules count words only; they do not understand the plan.`,
    ),
  };
};
