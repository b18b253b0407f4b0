import type { Condition, ConditionType } from "./check.ts";
import { documentsCitedCondition } from "./conditions/cited-documents.ts";
import { costCondition, latencyCondition, tokensCondition } from "./conditions/number-conditions.ts";
import {
  containsCondition,
  equalsCondition,
  jsonCondition,
  lengthCondition,
  matchesCondition,
  similarityCondition,
} from "./conditions/text-conditions.ts";
import {
  errorRateCondition,
  requiredToolCondition,
  retriesCondition,
  toolBeforeCondition,
  toolCallsCondition,
} from "./conditions/tool-conditions.ts";
import type { Finding, PreparedCondition } from "./finding.ts";
import { evaluateIfPresent } from "./presence.ts";

const preparers: {
  readonly [T in ConditionType]: (condition: Extract<Condition, { readonly type: T }>) => PreparedCondition | string;
} = {
  matches: matchesCondition,
  contains: containsCondition,
  lacks: containsCondition,
  equals: equalsCondition,
  equals_ignoring_case: equalsCondition,
  json_equals: equalsCondition,
  similarity_at_least: similarityCondition,
  length: lengthCondition,
  json: jsonCondition,
  latency_ms: latencyCondition,
  cost_usd: costCondition,
  tokens: tokensCondition,
  tool_calls: toolCallsCondition,
  required_tool: requiredToolCondition,
  tool_before: toolBeforeCondition,
  error_rate: errorRateCondition,
  retries: retriesCondition,
  documents_cited: documentsCitedCondition,
};

/** Names of all condition types. */
export const conditionTypes = Object.keys(preparers);

const prepareWithInput = <T extends ConditionType>(
  condition: Extract<Condition, { readonly type: T }>,
): PreparedCondition | string => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the table has the function of each type.
  const prepare = preparers[condition.type] as (input: typeof condition) => PreparedCondition | string;
  return prepare(condition);
};

/**
 * Compiles a condition. Its evaluation tells whether the trace has the input of it, and whether the result can still change.
 *
 * @returns the compiled condition, or a clause that describes the error in its pattern or schema.
 */
export const prepareCondition = (condition: Condition): PreparedCondition | string => {
  const prepared = prepareWithInput(condition);
  if (typeof prepared === "string") return prepared;
  return {
    ...prepared,
    evaluate: (checked) =>
      evaluateIfPresent(condition, checked, prepared.evaluate, (other): Finding => {
        const preparedOther = prepareWithInput(other);
        return typeof preparedOther === "string" ? prepared.evaluate(checked) : preparedOther.evaluate(checked);
      }),
  };
};
