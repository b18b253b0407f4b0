import type { JsonObject } from "../json.ts";
import { conditionsOf, usesExpectedOutput, type Check, type Condition } from "./check.ts";
import type { CheckedTrace, SpanReference } from "./checked-trace.ts";
import type { Finding, PreparedCondition } from "./finding.ts";
import { missingInputs, type MissingInput } from "./missing-input.ts";
import { prepareCondition } from "./prepare-condition.ts";
import { withAbsentResult } from "./presence.ts";

/** A condition that determined the result of a check. */
interface DecisiveCondition {
  readonly path: string;
  readonly condition: Condition;
  readonly clause: string;
  readonly finding: Finding;
}

/** The result of a check or of one of its parts, with the conditions that determined the result. */
interface Outcome {
  /** True if the trace passes; null if it has too little information to decide. */
  readonly holds: boolean | null;
  readonly decisive: readonly DecisiveCondition[];
}

type Evaluator = (checkedTrace: CheckedTrace) => Outcome;

/** The result of a check on a trace. */
export interface CheckResult {
  /** True if the trace passes the check; null if it has too little information to decide. */
  readonly holds: boolean | null;
  /** Code of the input that the check needs and the trace lacks; null if the check applies. */
  readonly inapplicable: MissingInput | null;
  /** Explanation that names the decisive conditions and their spans. */
  readonly reason: string;
  readonly details: JsonObject;
  /** Spans that the decisive conditions refer to, each once. */
  readonly spans: readonly SpanReference[];
}

/** Maximum number of conditions in a reason and in the details, and maximum characters of a reason. */
const [maxReportedConditions, maxReasonLength] = [10, 2000] as const;

const conditionEvaluator = (storedCondition: Condition, path: string, isNegated: boolean): Evaluator => {
  const condition = withAbsentResult(storedCondition, isNegated);
  const prepared: PreparedCondition | string = prepareCondition(condition);
  if (typeof prepared === "string") throw new Error(`A stored condition is invalid: ${prepared}`);
  const { clause, evaluate } = prepared;
  return (checkedTrace) => {
    const finding = evaluate(checkedTrace);
    return { holds: finding.holds, decisive: [{ path, condition, clause, finding }] };
  };
};

const decisiveOf = (outcomes: readonly Outcome[], holds: boolean | null): readonly DecisiveCondition[] =>
  outcomes.flatMap((outcome) => (outcome.holds === holds ? outcome.decisive : []));

/**
 * Combines evaluators with and (`decidingResult` false) or or (`decidingResult` true). The result is `decidingResult`
 * if any evaluator returns it, else null if any returns null.
 */
const combine = (evaluators: readonly Evaluator[], decidingResult: boolean): Evaluator => {
  return (checkedTrace) => {
    const outcomes = evaluators.map((evaluator) => evaluator(checkedTrace));
    const hasResult = (each: boolean | null): boolean => outcomes.some(({ holds }) => holds === each);
    const holds = hasResult(decidingResult) ? decidingResult : hasResult(null) ? null : !decidingResult;
    return { holds, decisive: decisiveOf(outcomes, holds) };
  };
};

const evaluatorOf = (check: Check, path: string, isNegated = false): Evaluator => {
  const childPath = (key: string): string => (path === "" ? key : `${path}.${key}`);
  if ("all" in check)
    return combine(
      check.all.map((each, index) => evaluatorOf(each, childPath(`all[${index}]`), isNegated)),
      false,
    );
  if ("any" in check)
    return combine(
      check.any.map((each, index) => evaluatorOf(each, childPath(`any[${index}]`), isNegated)),
      true,
    );
  if (!("not" in check)) return conditionEvaluator(check, path === "" ? "condition" : path, isNegated);
  const evaluator = evaluatorOf(check.not, childPath("not"), !isNegated);
  return (checkedTrace) => {
    const { holds, decisive } = evaluator(checkedTrace);
    return { holds: holds === null ? null : !holds, decisive };
  };
};

const spanList = (spans: readonly SpanReference[]): string =>
  spans.length === 0
    ? ""
    : ` (${spans.map(({ id, name }) => `span ${id}, ${JSON.stringify(name.slice(0, 80))}`).join("; ")})`;

const sentence = ({ path, clause, finding: { holds, observed, spans, absent } }: DecisiveCondition): string => {
  const verdict = absent !== undefined ? "does not apply" : holds === null ? "is open" : holds ? "holds" : "fails";
  return `${path} ${verdict}: ${clause}; ${observed}${spanList(spans)}.`;
};

const openings = { true: "The check holds.", false: "The check fails.", null: "The trace does not tell." } as const;

const conditionDetails = ({ path, condition, clause, finding }: DecisiveCondition): JsonObject => ({
  path,
  type: condition.type,
  says: clause,
  holds: finding.holds,
  observed: finding.observed,
  spans: finding.spans.map(({ id }) => id),
});

/** Returns the code of the first missing input if nothing but missing input leaves the check undecided, else null. */
const absentInput = (decisive: readonly DecisiveCondition[]): MissingInput | null =>
  decisive.every(({ finding }) => finding.absent !== undefined) ? (decisive[0]?.finding.absent ?? null) : null;

/** The result where nothing says what is expected, whatever the other conditions of the check are. */
const withoutExpectation: CheckResult = {
  holds: null,
  inapplicable: "no_expected_output",
  reason: `The check does not apply: ${missingInputs.no_expected_output}.`,
  details: {},
  spans: [],
};

/** Compiles a check for use on many traces: its patterns and schemas are compiled once. */
export const prepareCheck = (check: Check): ((checkedTrace: CheckedTrace) => CheckResult) => {
  const evaluator = evaluatorOf(check, "");
  const needsExpectation = conditionsOf(check).some(usesExpectedOutput);
  return (checkedTrace) => {
    if (needsExpectation && checkedTrace.expectedOutput === null) return withoutExpectation;
    const { holds, decisive } = evaluator(checkedTrace);
    const inapplicable = holds === null ? absentInput(decisive) : null;
    const reportedConditions = decisive.slice(0, maxReportedConditions);
    const remainder =
      decisive.length > reportedConditions.length ? [`And ${decisive.length - reportedConditions.length} more.`] : [];
    const reason = [
      inapplicable === null ? openings[`${holds}`] : "The check does not apply.",
      ...reportedConditions.map(sentence),
      ...remainder,
    ].join(" ");
    const spans = new Map(decisive.flatMap(({ finding }) => finding.spans).map((span) => [span.id, span]));
    return {
      holds,
      inapplicable,
      reason: reason.length > maxReasonLength ? `${reason.slice(0, maxReasonLength - 3)}...` : reason,
      details: {
        conditions: reportedConditions.map(conditionDetails),
        ...(decisive.length > reportedConditions.length && { left_out: decisive.length - reportedConditions.length }),
      },
      spans: [...spans.values()],
    };
  };
};
