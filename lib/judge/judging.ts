import { parse } from "valibot";
import { clip } from "./transcript/clip.ts";
import { coverageOf, type Coverage } from "./verdict/coverage.ts";
import type { Extractions } from "./question/extractions.ts";
import type { Extraction, JudgedMetric, Material, SessionMaterial } from "./metric.ts";
import { metricVerdict, outcomeVerdict, withoutScore } from "./verdict/metric-verdict.ts";
import type { Note } from "./question/prompt.ts";
import type { PutQuestion } from "./question/questioning.ts";
import { together, type Circumstances, type Expense } from "./verdict/score-metadata.ts";
import type { Verdict } from "./verdict/verdict.ts";

/** Longer extractions are cut before they are shown. */
const longestNote = 8000;

/** What judging a metric of one target takes. */
export interface Judging {
  readonly put: PutQuestion;
  readonly extract: Extractions;
  readonly material: SessionMaterial;
  /** Of the transcript. */
  readonly coverage: () => Coverage;
}

/** Judges a metric: what it needs is extracted, then its question is put unless the metric does not apply. */
export const judgeMetric = async (
  metric: JudgedMetric,
  { put, extract, material, coverage }: Judging,
  known: Omit<Circumstances, "coverage">,
  deadline: number,
): Promise<Verdict> => {
  const notes: Note[] = [];
  const answers = new Map<string, unknown>();
  const seen: Material = {
    ...material,
    extracted: ({ name, answer }: Extraction) => parse(answer, answers.get(name)),
  };
  let spent: Expense = known;
  for (const { name, question, answer } of metric.needs) {
    const asking = () => put({ name, sees: "record", notes: [], question, answer, deadline });
    const { asked, own } = await extract(name, asking);
    if (own) spent = together(spent, asked.expense);
    const circumstances = { ...known, ...spent, coverage: coverage() };
    if (asked.kind === "failed") return withoutScore(asked.code, asked.message, asked.retryAfter, circumstances);
    answers.set(name, asked.answer);
    notes.push({ name, text: clip(JSON.stringify(asked.answer, null, 1), longestNote) });
  }
  const outcome = metric.inapplicable(seen);
  if (outcome !== null) {
    const shown = metric.needs.length > 0 ? coverage() : coverageOf(0, 0);
    return outcomeVerdict(metric, outcome, { ...known, ...spent, coverage: shown });
  }
  const facts = metric.facts?.(seen) ?? null;
  if (facts !== null) notes.push(facts);
  const shown = facts?.coverage ?? coverage();
  const { name, sees, question, answer } = metric;
  const asked = await put({ name, sees, notes, question, answer, deadline });
  return metricVerdict(metric, asked, seen, { ...known, ...together(spent, asked.expense), coverage: shown });
};
