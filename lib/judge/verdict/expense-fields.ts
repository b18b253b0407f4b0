import * as v from "valibot";
import type { JsonObject } from "../../domain/json.ts";
import { addDollars, roundDollars } from "../../domain/runs/budget.ts";
import { addTokens, noTokens } from "../../prices/price.ts";

const dollars = v.nullish(v.number(), null);
const tokenCount = v.optional(v.number(), 0);

/** The expense of calls in the metadata of a verdict. */
const expenseFields = v.object({
  attempts: v.optional(v.number(), 0),
  tokens: v.optional(
    v.object({ prompt: tokenCount, completion: tokenCount, cached: tokenCount, written: tokenCount }),
    noTokens,
  ),
  cost_usd: dollars,
  unreported_usd: v.optional(v.number(), 0),
  latency_ms: v.optional(v.number(), 0),
});

const noExpenseFields = { attempts: 0, tokens: noTokens, cost_usd: 0, unreported_usd: 0, latency_ms: 0 };

const expenseIn = (metadata: JsonObject): v.InferOutput<typeof expenseFields> => {
  const { output, success } = v.safeParse(expenseFields, metadata);
  return success && output.attempts > 0 ? output : noExpenseFields;
};

/** Returns the metadata of a verdict with the sum of the expenses in others. The cost is null if one of them is unknown. */
export const withExpenses = (
  { unreported_usd: _unreported, charged_usd: _charged, ...metadata }: JsonObject,
  sources: readonly JsonObject[],
): JsonObject => {
  const expenses = sources.map(expenseIn);
  const sum = (figure: "attempts" | "unreported_usd" | "latency_ms"): number =>
    expenses.reduce((total, expense) => total + expense[figure], 0);
  const cost = expenses.map(({ cost_usd: usd }) => usd).reduce(addDollars, 0);
  const unreported = roundDollars(sum("unreported_usd"));
  return {
    ...metadata,
    attempts: sum("attempts"),
    tokens: { ...expenses.map(({ tokens }) => tokens).reduce(addTokens, noTokens) },
    cost_usd: cost,
    ...(unreported > 0 && { unreported_usd: unreported, charged_usd: roundDollars((cost ?? 0) + unreported) }),
    latency_ms: sum("latency_ms"),
  };
};
