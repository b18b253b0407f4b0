import { array, object, parse, string } from "valibot";
import {
  cited,
  withCount,
  gradeOf,
  shareOf,
  excerpt,
  statementsForGrade,
  type FailedStatementsByGrade,
  type RuleAnswer,
} from "./answer.ts";
import { readNotes, type JudgedRecord } from "./record.ts";

const [maxSteps, maxEvidence] = [20, 5] as const;

/** Extracts the steps of a numbered list ("1. ...", "Step 1: ..."). Escaped line breaks are resolved first, because transcripts contain short values as JSON. */
const numberedSteps = (text: string): readonly string[] =>
  [...text.replaceAll(/\\n|"/gu, "\n").matchAll(/^\s*(?:step\s+)?\d{1,2}[.):]\s+(?<step>\S.*)$/gimu)].map(
    ({ groups }) => groups?.["step"] ?? "",
  );

/** Rule for the question `plan`: the first list of at least two numbered steps before the first tool call of the agent. */
export const plan = ({ input, spans }: JudgedRecord): RuleAnswer => {
  const firstCall = spans.findIndex(({ kind }) => kind === "TOOL");
  const spansBeforeCall =
    firstCall === -1 ? spans.filter(({ output }) => /\bplan\b/iu.test(output)) : spans.slice(0, firstCall);
  const steps = spansBeforeCall.map(({ output }) => numberedSteps(output)).find(({ length }) => length > 1) ?? [];
  return {
    task: excerpt(input),
    evidence: steps.slice(0, maxEvidence).map(excerpt),
    plan: steps.slice(0, maxSteps).map(excerpt),
  };
};

const planSchema = object({ task: string(), plan: array(string()) });

const planInNotes = (message: string) => parse(planSchema, JSON.parse(readNotes(message, "plan")));

const words = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? [];

const adherenceFailedByGrade: FailedStatementsByGrade = [
  [],
  ["exact"],
  ["essential", "exact"],
  ["half", "essential", "exact"],
  ["begun", "half", "essential", "exact"],
];

/** Rule for plan_adherence: the share of planned steps without a common word with any span. */
export const planAdherence = ({ spans }: JudgedRecord, message: string): RuleAnswer => {
  const { plan: steps } = planInNotes(message);
  const spanWords = new Set(spans.flatMap(({ name, input }) => words(`${name.replaceAll("_", " ")} ${input}`)));
  const missing = steps.filter((step) => !words(step).some((word) => spanWords.has(word)));
  const explanation = `of ${withCount(steps.length, "planned step")} ${missing.length} ${missing.length === 1 ? "shares" : "share"} no word with a span's name or input`;
  return {
    statements: statementsForGrade(
      adherenceFailedByGrade,
      gradeOf(shareOf(missing.length, steps.length), [0, 0.25, 0.5, 0.75]),
      cited(missing, steps),
      `${explanation}. Rules compare words only; they do not know what was done.`,
    ),
  };
};

const qualityFailedByGrade: FailedStatementsByGrade = [
  [],
  ["precise"],
  ["direct", "precise"],
  ["coherent", "direct", "precise"],
  ["aimed", "coherent", "direct", "precise"],
];

/** Rule for plan_quality: the share of repeated steps and of steps with fewer than two words. */
export const planQuality = (_record: JudgedRecord, message: string): RuleAnswer => {
  const { plan: steps } = planInNotes(message);
  const repeated = steps.length - new Set(steps.map((step) => step.toLowerCase())).size;
  const vague = steps.filter((step) => words(step).length < 2);
  const explanation = `${withCount(steps.length, "step")}, ${repeated} repeated, ${vague.length} of fewer than two words`;
  return {
    statements: statementsForGrade(
      qualityFailedByGrade,
      gradeOf(shareOf(repeated + vague.length, steps.length), [0, 0.25, 0.5, 0.75]),
      cited(vague, steps),
      `${explanation}. Rules count words only; they do not understand the plan.`,
    ),
  };
};
