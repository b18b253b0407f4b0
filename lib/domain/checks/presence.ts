import { usesExpectedOutput, type Condition, type TextPart } from "./check.ts";
import { valuesOf, type CheckedTrace } from "./checked-trace.ts";
import { documentsOf } from "./conditions/cited-documents.ts";
import { createFinding, type Finding } from "./finding.ts";
import { missingInputs, type MissingInput } from "./missing-input.ts";

type TextCondition = Extract<Condition, { readonly of: TextPart }>;

const missingCodes: Readonly<Record<TextPart, MissingInput>> = {
  output: "empty_output",
  input: "empty_input",
  expected_output: "no_expected_output",
  span_outputs: "no_spans",
  span_inputs: "no_spans",
};

const textInput = (condition: TextCondition, checked: CheckedTrace): MissingInput | null => {
  const isMissing = (of: TextPart, span: string | null): boolean =>
    valuesOf(checked, of, span).every(({ value }) => value === null);
  if (isMissing(condition.of, condition.span)) return missingCodes[condition.of];
  const { reference } = "reference" in condition ? condition : {};
  return reference !== undefined && isMissing(reference, null) ? missingCodes[reference] : null;
};

const hasNoSteps = ({ trace, calls }: CheckedTrace): boolean => trace.spans.length === 0 && calls().length === 0;

/** Returns the code of the input that a condition needs and the trace lacks; null if the condition can be evaluated. */
const missingInput = (condition: Condition, checked: CheckedTrace): MissingInput | null => {
  switch (condition.type) {
    case "matches":
    case "contains":
    case "lacks":
    case "length":
    case "json":
    case "equals":
    case "equals_ignoring_case":
    case "json_equals":
    case "similarity_at_least":
      return textInput(condition, checked);
    case "latency_ms":
      return null;
    case "cost_usd":
    case "tokens":
      return checked.trace.spans.length === 0 ? "no_spans" : null;
    case "tool_calls":
    case "required_tool":
    case "retries":
      return hasNoSteps(checked) ? "no_spans" : null;
    case "tool_before":
      if (hasNoSteps(checked)) return "no_spans";
      return checked.calls().some(({ name }) => name === condition.before) ? null : "tool_not_called";
    case "error_rate":
      if (hasNoSteps(checked)) return "no_spans";
      return condition.over === "tools" && checked.calls().length === 0 ? "no_tool_calls" : null;
    case "documents_cited":
      if (documentsOf(checked.trace.spans).length === 0) return "no_retrieved_documents";
      return checked.trace.output === null ? "empty_output" : null;
    default:
      return condition satisfies never;
  }
};

/** True if a condition demands a call of a tool, which a trace without any step does not have. */
const demandsCall = (condition: Condition): boolean =>
  condition.type === "required_tool" || (condition.type === "tool_calls" && (condition.min ?? 0) > 0);

/** True if a condition demands what an item of a dataset expects, which an output of nothing is not. */
const demandsExpectation = (condition: Condition): boolean =>
  condition.type !== "lacks" && usesExpectedOutput(condition);

/**
 * Returns a condition with the result that it has without its input: a demanded call, or an expected output, that nothing shows is
 * missing. Within `not` the condition forbids it, and no trace passes by having nothing.
 */
export const withAbsentResult = (condition: Condition, isNegated: boolean): Condition =>
  condition.absent === undefined && !isNegated && (demandsCall(condition) || demandsExpectation(condition))
    ? { ...condition, absent: "fail" }
    : condition;

/** Evaluates another condition on the same trace. */
type EvaluateOther = (condition: Condition) => Finding;

/** True if a later output can change what a condition compares. */
const needsOutput = (condition: TextCondition): boolean =>
  condition.of === "output" || ("reference" in condition && condition.reference === "output");

/** True if a condition compares texts of spans, which are only added. */
const isOfSpans = ({ of }: TextCondition): boolean => of === "span_outputs" || of === "span_inputs";

/** True if no further span and no later output can change the result of a condition. */
const isFinal = (condition: Condition, { holds }: Finding, evaluateOther: EvaluateOther): boolean => {
  switch (condition.type) {
    case "matches":
    case "contains":
    case "equals":
    case "equals_ignoring_case":
    case "json_equals":
    case "similarity_at_least":
      return !needsOutput(condition) && (!isOfSpans(condition) || holds === true);
    case "lacks":
    case "length":
    case "json":
      return !needsOutput(condition) && (!isOfSpans(condition) || holds === false);
    case "cost_usd":
    case "tokens":
    case "tool_calls":
    case "retries":
      // These only grow: at least the minimum stays so, and more than the maximum.
      return holds === true
        ? condition.max === null
        : condition.max !== null && evaluateOther({ ...condition, min: null }).holds === false;
    case "required_tool":
      return holds === true;
    case "tool_before":
      return true;
    case "error_rate":
      return condition.max === 0 && holds === false;
    case "latency_ms":
    case "documents_cited":
      return false;
    default:
      return condition satisfies never;
  }
};

const unended = "and the trace has not ended";

/**
 * Evaluates a condition where the trace has the input of it. Without the input the condition does not apply, or has the result
 * that it names. On a trace that is still running a result that can change is open.
 */
export const evaluateIfPresent = (
  condition: Condition,
  checked: CheckedTrace,
  evaluate: (checked: CheckedTrace) => Finding,
  evaluateOther: EvaluateOther,
): Finding => {
  const isRunning = checked.trace.status === "RUNNING" || checked.trace.status === "PENDING";
  const code = missingInput(condition, checked);
  if (code !== null) {
    const observed = missingInputs[code];
    if (isRunning) return createFinding(null, `${observed}, ${unended}`);
    if (condition.absent !== undefined) return createFinding(condition.absent === "pass", observed);
    return { ...createFinding(null, observed), absent: code };
  }
  const finding = evaluate(checked);
  if (!isRunning || finding.holds === null || isFinal(condition, finding, evaluateOther)) return finding;
  return { ...finding, holds: null, observed: `${finding.observed} so far, ${unended}` };
};
