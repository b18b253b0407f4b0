import { millisecondsBetween } from "../../instant.ts";
import { unpricedTokens } from "../../traces/facts.ts";
import { contributionsOf, totalCost, totalTokens } from "../../traces/totals.ts";
import type { Condition } from "../check.ts";
import { found, type PreparedCondition } from "../finding.ts";
import { boundsSaid, isWithin } from "./within.ts";

type Of<T extends Condition["type"]> = Extract<Condition, { readonly type: T }>;

export const latency = (condition: Of<"latency_ms">): PreparedCondition => ({
  says: `the latency is ${boundsSaid(condition, "ms")}`,
  find: ({ trace: { started_at: start, ended_at: end } }) => {
    if (end === null) return found(null, "the trace has not ended");
    const is = millisecondsBetween(start, end);
    return found(isWithin(condition, is), `it is ${is} ms`);
  },
  size: 0,
});

export const tokens = (condition: Of<"tokens">): PreparedCondition => ({
  says: `there are ${boundsSaid(condition, "token", "tokens")}`,
  find: ({ trace }) => {
    const is = totalTokens(contributionsOf(trace.spans));
    return found(isWithin(condition, is), `there are ${is}`);
  },
  size: 0,
});

export const cost = (condition: Of<"cost_usd">): PreparedCondition => ({
  says: `the cost is ${boundsSaid(condition, "dollar", "dollars")}`,
  find: ({ trace: { spans } }) => {
    const is = totalCost(contributionsOf(spans));
    const unpriced = unpricedTokens(spans);
    if (unpriced === 0) return found(isWithin(condition, is), `it is ${is}`);
    // What is not known comes on top: it is beyond the upper bound already, or above the lower one whatever it costs.
    const { min, max } = condition;
    if (max !== null && is > max) return found(false, `it is ${is} and more`);
    if (max === null && min !== null && is >= min) return found(true, `it is ${is} and more`);
    return found(null, `it is ${is}, and ${unpriced} tokens have no price`);
  },
  size: 0,
});
