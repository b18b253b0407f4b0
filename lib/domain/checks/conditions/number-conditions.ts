import { millisecondsBetween } from "../../instant.ts";
import { unpricedTokens } from "../../traces/facts.ts";
import { contributionsOf, totalCost, totalTokens } from "../../traces/totals.ts";
import type { Condition } from "../check.ts";
import { createFinding, type PreparedCondition } from "../finding.ts";
import { boundsText, isWithin } from "./within.ts";

type ConditionOf<T extends Condition["type"]> = Extract<Condition, { readonly type: T }>;

export const latencyCondition = (condition: ConditionOf<"latency_ms">): PreparedCondition => ({
  clause: `the latency is ${boundsText(condition, "ms")}`,
  evaluate: ({ trace: { started_at: start, ended_at: end } }) => {
    if (end === null) return createFinding(null, "the trace has not ended");
    const value = millisecondsBetween(start, end);
    return createFinding(isWithin(condition, value), `it is ${value} ms`);
  },
  instructions: 0,
});

export const tokensCondition = (condition: ConditionOf<"tokens">): PreparedCondition => ({
  clause: `there are ${boundsText(condition, "token", "tokens")}`,
  evaluate: ({ trace }) => {
    const value = totalTokens(contributionsOf(trace.spans));
    return createFinding(isWithin(condition, value), `there are ${value}`);
  },
  instructions: 0,
});

export const costCondition = (condition: ConditionOf<"cost_usd">): PreparedCondition => ({
  clause: `the cost is ${boundsText(condition, "dollar", "dollars")}`,
  evaluate: ({ trace: { spans } }) => {
    const value = totalCost(contributionsOf(spans));
    const unpriced = unpricedTokens(spans);
    if (unpriced === 0) return createFinding(isWithin(condition, value), `it is ${value}`);
    // Tokens without a price can only raise the cost, so the known cost decides if it already exceeds a bound.
    const { min, max } = condition;
    if (max !== null && value > max) return createFinding(false, `it is ${value} and more`);
    if (max === null && min !== null && value >= min) return createFinding(true, `it is ${value} and more`);
    return createFinding(null, `it is ${value}, and ${unpriced} tokens have no price`);
  },
  instructions: 0,
});
