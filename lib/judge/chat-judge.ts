import { parse } from "valibot";
import { mapConcurrently } from "../async/concurrency.ts";
import type { Extraction, FactOptions, Facts, JudgedMetric, Material, SessionMaterial } from "./metric/metric.ts";
import { maxNoteLength, type Note } from "./question/ask-model.ts";
import { expectedOutputNotes } from "./question/expected-output.ts";
import type { TargetQuestions } from "./question/target-questions.ts";
import type { AnswerLengthHistory, JudgementContext, ModelCallBudget } from "./spending/call-budget.ts";
import { addExpenses, type Expense } from "./spending/expense.ts";
import type { JudgeBudget } from "./spending/judge-budget.ts";
import { sizeOfBytes, sumOfSizes, type PromptSize } from "./spending/prompt-size.ts";
import type { targetTranscript } from "./target-transcript.ts";
import type { TranscriptSection } from "./transcript/section.ts";
import { clip } from "./transcript/shorten.ts";
import { coverageOf, type Coverage } from "./transcript/transcript.ts";
import { evidenceIn } from "./verdict/evidence.ts";
import { type Provenance, unansweredVerdict, unfundedVerdict, verdictOf, type Verdict } from "./verdict/verdict.ts";

/** Maximum parallel questions of one pair (target x metric). */
const maxParallelQuestions = 5;

const summedCoverage = (facts: readonly Facts[]): Coverage =>
  coverageOf(
    facts.reduce((sum, { coverage }) => sum + coverage.shown_characters, 0),
    facts.reduce((sum, { coverage }) => sum + coverage.total_characters, 0),
  );

const sectionsOf = (facts: readonly Facts[]): readonly TranscriptSection[] => facts.flatMap(({ sections }) => sections);

/** Assumed bytes of an extraction's answer before it is known, for the cost bound of questions that will show the answer. */
const assumedNoteBytes = 2000;

/** Evaluates the parts of a metric that need no call: its applicability and, if it applies, its facts. */
const prepare = (metric: JudgedMetric, material: Material, factOptions: FactOptions) => {
  const inapplicable = metric.inapplicable(material);
  return { inapplicable, facts: inapplicable === null ? (metric.facts?.(material, factOptions) ?? []) : [] };
};

/** A judge's target, and what its questions need. */
interface ChatTarget {
  /** `<provider>/<model>`. */
  readonly model: string;
  readonly questions: TargetQuestions;
  readonly transcript: ReturnType<typeof targetTranscript>;
  readonly materialOf: (metric: JudgedMetric) => Promise<SessionMaterial>;
  readonly factOptions: FactOptions;
  /** Returns the verdict for a transcript that shows too little of the trace; null if it shows enough. */
  readonly refuseCoverage: (coverage: Coverage, provenance: Provenance) => Verdict | null;
  /** Reserves the cost of the calls for questions of these names; null if the budget is too small. */
  readonly reserve: (
    budget: JudgeBudget,
    questionNames: readonly string[],
    prompts: () => readonly PromptSize[],
  ) => Promise<ModelCallBudget | null>;
  readonly answerLengths: AnswerLengthHistory;
}

/** Creates the judge that asks a chat model about one metric of a target at a time. */
export const chatJudge = ({
  model,
  questions,
  transcript,
  materialOf,
  factOptions,
  refuseCoverage,
  reserve,
  answerLengths,
}: ChatTarget) => {
  /** Reserves the cost of a metric's questions; null if the budget is too small. */
  const reserveBudget = (
    metric: JudgedMetric,
    facts: readonly Facts[],
    expectation: readonly Note[],
    budget: JudgeBudget,
  ): Promise<ModelCallBudget | null> => {
    const openNeeds = metric.needs.filter(({ name }) => !questions.isAsked(name));
    const questionNames = [metric, ...openNeeds].map(({ name }) => name);
    return reserve(budget, questionNames, () => [
      ...openNeeds.map(({ question, answer }) => questions.sizeOf({ sees: "record", notes: [], question, answer })),
      ...(facts.length === 0 ? [expectation] : facts.map((fact) => [...expectation, fact])).map((notes) =>
        sumOfSizes(questions.sizeOf({ ...metric, notes }), sizeOfBytes(metric.needs.length * assumedNoteBytes)),
      ),
    ]);
  };

  /** Asks for the extractions that the metric needs, then its question unless the metric does not apply. */
  const judgeMetric = async (
    metric: JudgedMetric,
    base: Omit<Provenance, "coverage">,
    { budget, deadline, onReserved }: JudgementContext,
  ): Promise<Verdict> => {
    const sessionMaterial = await materialOf(metric);
    const expectation = expectedOutputNotes(sessionMaterial.expectedOutput ?? null);
    const notes: Note[] = [...expectation];
    const answers = new Map<string, unknown>();
    const material: Material = {
      ...sessionMaterial,
      extractedAnswer: ({ name, answer }: Extraction) => parse(answer, answers.get(name)),
    };
    const preparation = metric.needs.length === 0 ? prepare(metric, material, factOptions) : null;
    if (preparation?.inapplicable)
      return verdictOf(metric, preparation.inapplicable, { ...base, coverage: coverageOf(0, 0) });
    let spent: Expense = base;
    const provenanceOf = (coverage: Coverage): Provenance => ({
      ...base,
      ...spent,
      coverage,
      sampling: questions.sampling(),
    });
    if (metric.needs.length > 0 || (metric.sees === "record" && metric.facts === null)) {
      const { coverage } = transcript.current();
      const refusal = refuseCoverage(coverage, provenanceOf(coverage));
      if (refusal !== null) return refusal;
    }
    const callBudget = await reserveBudget(metric, preparation?.facts ?? [], expectation, budget);
    if (callBudget === null) return unfundedVerdict({ ...base, coverage: coverageOf(0, 0) });
    onReserved(callBudget);
    const extractedEvidence: string[] = [];
    for (const need of metric.needs) {
      const { name, question, answer } = need;
      const evidenceOf = (reply: unknown): readonly string[] | null => need.evidenceOf?.(parse(answer, reply)) ?? null;
      const extraction = {
        name,
        sees: "record",
        notes: [],
        question,
        answer,
        findFlaw: (reply: unknown): string | null => {
          const cited = evidenceOf(reply);
          return cited === null || transcript.checkEvidence([...cited])?.cited.length
            ? null
            : "None of its evidence is in the record: quote the record word for word.";
        },
        callBudget,
        deadline,
      } as const;
      const { outcome, isPayer } = await questions.askOnce(extraction);
      if (isPayer) spent = addExpenses(spent, outcome.expense);
      if (outcome.kind !== "answered") return unansweredVerdict(outcome, provenanceOf(transcript.current().coverage));
      if (isPayer) answerLengths.record(model, name, outcome.expense.tokens.completion);
      const cited = evidenceOf(outcome.answer) ?? [];
      extractedEvidence.push(...cited);
      // A later question that is shown invented quotations could only cite them.
      const evidence = transcript.checkEvidence([...cited])?.checked.flatMap((each) => (each.found ? [each.text] : []));
      const extracted = parse(answer, outcome.answer);
      const checkedAnswer = need.withEvidence?.(extracted, evidence ?? []) ?? extracted;
      answers.set(name, checkedAnswer);
      notes.push({ name, text: clip(JSON.stringify(checkedAnswer, null, 1), maxNoteLength) });
    }
    const { inapplicable, facts } = preparation ?? prepare(metric, material, factOptions);
    if (inapplicable !== null) return verdictOf(metric, inapplicable, provenanceOf(transcript.current().coverage));
    const { name, sees, question, answer } = metric;
    const parts: readonly (Facts | undefined)[] = facts.length === 0 ? [undefined] : facts;
    const outcomes = await mapConcurrently(parts.entries(), maxParallelQuestions, ([part, fact]) => {
      const findFlaw = (reply: unknown): string | null => metric.findFlaw(reply, material, part);
      return questions.ask({
        name,
        sees,
        notes: fact === undefined ? notes : [...notes, fact],
        question,
        answer,
        findFlaw,
        callBudget,
        deadline,
      });
    });
    for (const { kind, expense } of outcomes) {
      spent = addExpenses(spent, expense);
      if (kind === "answered") answerLengths.record(model, name, expense.tokens.completion);
    }
    const provenance = provenanceOf(facts.length > 0 ? summedCoverage(facts) : transcript.current().coverage);
    const unansweredOutcome =
      outcomes.find(({ kind }) => kind === "failure") ?? outcomes.find(({ kind }) => kind === "unfunded");
    if (unansweredOutcome !== undefined && unansweredOutcome.kind !== "answered")
      return unansweredVerdict(unansweredOutcome, provenance);
    const replies = outcomes.flatMap((outcome) => (outcome.kind === "answered" ? [outcome.answer] : []));
    const score = metric.score(metric.joinAnswers(replies), material);
    const cited = score.details["evidence"];
    // Citations are checked against the transcript, never against a judge's own extraction; facts are texts of the trace.
    if (sees === "record") return verdictOf(metric, score, provenance, transcript.checkEvidence(cited));
    if (facts.length > 0) return verdictOf(metric, score, provenance, evidenceIn(sectionsOf(facts))(cited));
    const allCited = Array.isArray(cited) ? [...new Set([...cited, ...extractedEvidence])] : cited;
    return verdictOf(metric, score, provenance, transcript.checkEvidence(allCited));
  };

  return judgeMetric;
};
