import { parse } from "valibot";
import type { StatementAnswer } from "../../domain/metrics/rubric.ts";
import {
  fingerprintOf,
  promptVersion,
  type DecidedScore,
  type Extraction,
  type FactOptions,
  type InapplicableScore,
  type JudgedMetric,
  type SessionMaterial,
} from "../metric/metric.ts";
import { decisionAnswer, probabilityIn } from "../question/decision-question.ts";
import type { QuestionOutcome } from "../question/ask-model.ts";
import type { TargetQuestions } from "../question/target-questions.ts";
import {
  answerOf,
  decisionThreshold,
  refusedScore,
  roundedProbabilities,
  withoutEvidence,
} from "../rubric/rubric-decision.ts";
import type { JudgementContext, ModelCallBudget } from "../spending/call-budget.ts";
import { addExpenses, noExpense, type Expense } from "../spending/expense.ts";
import type { JudgeBudget } from "../spending/judge-budget.ts";
import type { PromptSize } from "../spending/prompt-size.ts";
import { coverageOf, type Coverage } from "../transcript/transcript.ts";
import {
  unansweredVerdict,
  unfundedVerdict,
  unscoredVerdict,
  verdictOf,
  type Provenance,
  type Verdict,
} from "../verdict/verdict.ts";
import {
  decisionCall,
  factsOf,
  hasPredicates,
  isAlone,
  withoutExtractions,
  type DecisionCall,
} from "./decision-call.ts";
import { decisionRules } from "./system-message.ts";

/** A metric of a group with the fields of its scores that do not depend on the call. */
export interface GroupedMetric {
  readonly metric: JudgedMetric;
  readonly base: Omit<Provenance, "coverage" | keyof Expense>;
}

/** A judge's target, and what its calls need. */
interface DecisionTarget {
  readonly material: SessionMaterial;
  readonly factOptions: FactOptions;
  readonly questions: TargetQuestions;
  /** Coverage of the transcript, which is rendered if necessary. */
  readonly transcriptCoverage: () => Coverage;
  /** Returns the verdict for a transcript that shows too little of the trace; null if it shows enough. */
  readonly refuseCoverage: (coverage: Coverage, provenance: Provenance) => Verdict | null;
  /** Reserves the cost of the planned calls; null if the budget is too small. */
  readonly reserve: (budget: JudgeBudget, prompts: () => readonly PromptSize[]) => Promise<ModelCallBudget | null>;
  /** Id of the first call, which its scores have in common; that of the second one ends in `-2`. */
  readonly id: string;
}

type Unanswered = Exclude<QuestionOutcome<unknown>, { kind: "answered" }>;

/** The citations of a decision: none. */
const noCitations = () => ({ cited: [], checked: [], dropped: 0, foundShare: null, tampering: false });

/** Fingerprint of what a decision model is asked about a metric. */
export const decisionPromptVersionOf = (metric: JudgedMetric): string =>
  fingerprintOf([promptVersion(metric), metric.criterion, decisionRules, decisionThreshold]);

/**
 * Judges metrics of one group: one call with the statements of all, and a second one for those that rest on what the first one
 * finds, such as a plan. The cost of a call is that of the first verdict which rests on it.
 *
 * @returns the verdicts, in the order of the metrics.
 */
export const judgeByDecision = async (
  { material, factOptions, questions, transcriptCoverage, refuseCoverage, reserve, id }: DecisionTarget,
  group: readonly GroupedMetric[],
  { budget, deadline, onReserved }: JudgementContext,
): Promise<readonly Verdict[]> => {
  const verdicts = new Map<JudgedMetric, Verdict>();
  let [spent, unbookedExpense]: [Expense, Expense] = [noExpense, noExpense];

  const coverage = (metric: JudgedMetric): Coverage =>
    isAlone(metric) ? (factsOf(metric, material, factOptions)[0]?.coverage ?? coverageOf(0, 0)) : transcriptCoverage();

  /** Provenance of the next verdict; the first one after a call has its expense. */
  const bookedProvenance = ({ metric, base }: GroupedMetric): Provenance => {
    const expense = { ...unbookedExpense, latency: spent.latency };
    unbookedExpense = noExpense;
    return { ...base, ...expense, coverage: coverage(metric), sampling: null };
  };

  const uncalledProvenance = ({ base }: GroupedMetric): Provenance => ({
    ...base,
    ...noExpense,
    coverage: coverageOf(0, 0),
  });

  const settle = (
    grouped: GroupedMetric,
    score: DecidedScore | InapplicableScore,
    shared_call: { readonly id: string; readonly questions: number },
  ): void => {
    const details = { ...score.details, shared_call };
    const provenance = bookedProvenance(grouped);
    verdicts.set(grouped.metric, verdictOf(grouped.metric, { ...score, details }, provenance, noCitations()));
  };

  const settleUnanswered = (
    members: readonly GroupedMetric[],
    outcome: Unanswered,
    callId: string,
    counts: readonly number[],
  ): void => {
    for (const [index, grouped] of members.entries()) {
      const { metadata, ...verdict } = unansweredVerdict(outcome, bookedProvenance(grouped));
      const shared_call = { id: callId, questions: counts[index] ?? 0 };
      verdicts.set(grouped.metric, { ...verdict, metadata: { ...metadata, shared_call } });
    }
  };

  /** The verdict of a metric that needs no call: it does not apply, or too little of the trace can be shown. */
  const verdictWithoutCall = (grouped: GroupedMetric): Verdict | null => {
    const { metric } = grouped;
    const provenance = uncalledProvenance(grouped);
    if (!hasPredicates(metric)) {
      const message = "The metric has no statements, so a decision model cannot judge it: name a chat model.";
      return unscoredVerdict({ code: "judge_bad_request", message, retryAfter: null }, provenance);
    }
    const fixed = metric.needs.length > 0 ? null : metric.inapplicable(withoutExtractions(material));
    if (fixed !== null) return verdictOf(metric, fixed, provenance);
    return isAlone(metric) ? null : refuseCoverage(transcriptCoverage(), provenance);
  };

  const callAbout = (members: readonly GroupedMetric[], extractions: readonly Extraction[] = []): DecisionCall =>
    decisionCall(
      members.map(({ metric }) => metric),
      extractions,
      material,
      factOptions,
    );

  const ask = async ({ question }: DecisionCall, callBudget: ModelCallBudget) => {
    const outcome = await questions.ask({ ...question, callBudget, deadline });
    [spent, unbookedExpense] = [addExpenses(spent, outcome.expense), addExpenses(unbookedExpense, outcome.expense)];
    if (outcome.kind !== "answered") return outcome;
    return { kind: "decided", values: parse(decisionAnswer, outcome.answer).probabilities.map(probabilityIn) } as const;
  };

  const score = (
    members: readonly GroupedMetric[],
    { counts }: DecisionCall,
    values: readonly (number | null)[],
    callId: string,
  ): void => {
    let place = 0;
    for (const [index, grouped] of members.entries()) {
      const count = counts[index] ?? 0;
      const result = grouped.metric.decisionForm?.score(values.slice(place, place + count), material);
      if (result === undefined) throw new Error(`The metric ${grouped.metric.name} has no predicates.`);
      settle(grouped, result, { id: callId, questions: count });
      place += count;
    }
  };

  const inOrder = (): readonly Verdict[] => group.flatMap(({ metric }) => verdicts.get(metric) ?? []);

  const openMetrics = group.filter((grouped) => {
    const verdict = verdictWithoutCall(grouped);
    if (verdict !== null) verdicts.set(grouped.metric, verdict);
    return verdict === null;
  });
  if (openMetrics.length === 0) return inOrder();
  const independentMetrics = openMetrics.filter(({ metric }) => metric.needs.length === 0);
  const dependentMetrics = openMetrics.filter(({ metric }) => metric.needs.length > 0);
  const extractions = [...new Set(dependentMetrics.flatMap(({ metric }) => metric.needs))];
  const firstCall = callAbout(independentMetrics, extractions);
  const plannedCalls = [firstCall, ...(dependentMetrics.length > 0 ? [callAbout(dependentMetrics)] : [])];
  const callBudget = await reserve(budget, () => plannedCalls.map(({ question }) => questions.sizeOf(question)));
  if (callBudget === null) {
    for (const grouped of openMetrics) verdicts.set(grouped.metric, unfundedVerdict(uncalledProvenance(grouped)));
    return inOrder();
  }
  onReserved(callBudget);

  const firstOutcome = await ask(firstCall, callBudget);
  if (firstOutcome.kind !== "decided") {
    const counts = [...firstCall.counts, ...dependentMetrics.map(({ metric }) => metric.needs.length)];
    settleUnanswered([...independentMetrics, ...dependentMetrics], firstOutcome, id, counts);
    return inOrder();
  }
  const probabilities = new Map(
    extractions.map((extraction, index) => [extraction, firstOutcome.values[index] ?? null]),
  );
  /** Answer to whether what a metric rests on is stated. */
  const stateOf = ({ metric }: GroupedMetric): StatementAnswer => {
    const answers = metric.needs.map((need) => answerOf(probabilities.get(need) ?? null));
    return answers.find((answer) => answer === "cannot_tell") ?? answers.find((answer) => answer === "no") ?? "yes";
  };
  const membersWith = (state: StatementAnswer) => dependentMetrics.filter((grouped) => stateOf(grouped) === state);
  /** Settles a metric by the first call alone, with the probabilities of what it rests on. */
  const settleByNeeds = (grouped: GroupedMetric, decidedScore: DecidedScore | InapplicableScore): void => {
    const { needs } = grouped.metric;
    const byName = Object.fromEntries(needs.map((need) => [need.name, probabilities.get(need) ?? null]));
    const details = { ...decidedScore.details, probabilities: roundedProbabilities(byName), ...withoutEvidence };
    settle(grouped, { ...decidedScore, details }, { id, questions: needs.length });
  };

  score(independentMetrics, firstCall, firstOutcome.values.slice(extractions.length), id);
  for (const grouped of membersWith("cannot_tell"))
    settleByNeeds(
      grouped,
      refusedScore(
        grouped.metric.needs.map(({ name }) => name),
        {},
      ),
    );
  for (const grouped of membersWith("no")) {
    const fixed = grouped.metric.inapplicable(withoutExtractions(material));
    if (fixed !== null) settleByNeeds(grouped, fixed);
  }
  const applicableMetrics = membersWith("yes");
  if (applicableMetrics.length === 0) return inOrder();
  const secondCall = callAbout(applicableMetrics);
  const secondOutcome = await ask(secondCall, callBudget);
  const secondId = `${id}-2`;
  if (secondOutcome.kind === "decided") score(applicableMetrics, secondCall, secondOutcome.values, secondId);
  else settleUnanswered(applicableMetrics, secondOutcome, secondId, secondCall.counts);
  return inOrder();
};
