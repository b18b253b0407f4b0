import type { Condition, ConditionType } from "./check.ts";
import { documentsCited } from "./conditions/cited-documents.ts";
import { cost, latency, tokens } from "./conditions/number-conditions.ts";
import { contains, json, length, matches } from "./conditions/text-conditions.ts";
import { errorRate, requiredTool, retries, toolBefore, toolCalls } from "./conditions/tool-conditions.ts";
import type { PreparedCondition } from "./finding.ts";

const preparers: {
  readonly [T in ConditionType]: (condition: Extract<Condition, { readonly type: T }>) => PreparedCondition | string;
} = {
  matches,
  contains,
  lacks: contains,
  length,
  json,
  latency_ms: latency,
  cost_usd: cost,
  tokens,
  tool_calls: toolCalls,
  required_tool: requiredTool,
  tool_before: toolBefore,
  error_rate: errorRate,
  retries,
  documents_cited: documentsCited,
};

/** Every type of condition. */
export const conditionTypes = Object.keys(preparers);

/** A condition that is ready; or what is wrong with its pattern or schema, as a clause. */
export const preparedCondition = <T extends ConditionType>(
  condition: Extract<Condition, { readonly type: T }>,
): PreparedCondition | string => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the table has each type's own.
  const prepare = preparers[condition.type] as (given: typeof condition) => PreparedCondition | string;
  return prepare(condition);
};
