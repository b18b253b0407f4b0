import { roundDollars } from "../../domain/runs/budget.ts";
import { addTokens, noTokens, type Tokens } from "../../prices/price.ts";

/** Calls, tokens and time that judging a pair took. A shared extraction counts for the pair that made the call alone. */
export interface Expense {
  readonly attempts: number;
  readonly tokens: Tokens;
  /** The part of `tokens` billed at the flex tier. */
  readonly flexTokens: Tokens;
  /** Cost of the reported usage, US dollars: the sum of the calls, each at the price of its prompt's length; null when the price is unknown. */
  readonly cost: number | null;
  /** Milliseconds spent in calls, waits between them included. */
  readonly latency: number;
  /** Upper bound of the cost of usage that was not reported, US dollars. */
  readonly unreportedCost: number;
}

/** The expense of a judgement without calls. */
export const noExpense: Expense = {
  attempts: 0,
  tokens: noTokens,
  flexTokens: noTokens,
  cost: 0,
  latency: 0,
  unreportedCost: 0,
};

/** Adds two expenses. */
export const addExpenses = (a: Expense, b: Expense): Expense => ({
  attempts: a.attempts + b.attempts,
  tokens: addTokens(a.tokens, b.tokens),
  flexTokens: addTokens(a.flexTokens, b.flexTokens),
  cost: a.cost === null || b.cost === null ? null : roundDollars(a.cost + b.cost),
  latency: a.latency + b.latency,
  unreportedCost: a.unreportedCost + b.unreportedCost,
});
