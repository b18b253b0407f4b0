import { ExactSum } from "../exact-sum.ts";
import { flattenText } from "../text.ts";
import type { SortKey } from "../list-order.ts";
import { unpricedTokensIn, type ListedTrace } from "./row.ts";
import { addCosts, addTokensOfTraces } from "./totals.ts";
import type { Instant } from "../instant.ts";

/** Sort keys of a list of users; the first is the default. */
export const userSortColumns = ["last_seen", "trace_count", "errors", "latency", "cost", "tokens"] as const;
export type UserSortColumn = (typeof userSortColumns)[number];

/** Totals of the traces of one user. */
export interface UserSummary {
  readonly userId: string;
  readonly traceCount: number;
  /** Start of the first and of the last trace. */
  readonly firstSeen: Instant;
  readonly lastSeen: Instant;
  readonly errorCount: number;
  /** Sum of the traces' latencies in milliseconds; null if no trace has one. */
  readonly totalLatency: number | null;
  readonly totalTokens: number;
  readonly totalCost: number;
  /** Tokens of the user's traces with unknown cost. */
  readonly unpricedTokens: number;
}

/** Sums over some traces of one user. */
export interface UserTotals {
  readonly userId: string;
  readonly traces: number;
  readonly first: Instant;
  readonly last: Instant;
  readonly errors: number;
  /** Sum of the latencies in whole microseconds; null if no trace has one. */
  readonly latency: number | null;
  readonly tokens: number;
  /** US dollars. */
  readonly cost: number;
  readonly unpriced: number;
}

/** Sums up the traces of one user, in any order. */
export class UserSum {
  readonly userId: string;
  #count = 0;
  #first: Instant = "";
  #last: Instant = "";
  #errors = 0;
  /** Sum of the latencies; whole microseconds add up exactly. */
  #latency: number | null = null;
  #tokens = 0;
  readonly #cost = new ExactSum();
  #unpriced = 0;

  constructor(userId: string) {
    this.userId = userId;
  }

  add(trace: Pick<ListedTrace, "startedAt" | "status" | "latency" | "totalTokens" | "totalCost" | "facts">): void {
    const { startedAt, status, latency } = trace;
    this.addTotals({
      traces: 1,
      first: startedAt,
      last: startedAt,
      errors: status === "ERROR" ? 1 : 0,
      latency: latency === null ? null : Math.round(latency * 1000),
      tokens: trace.totalTokens,
      cost: trace.totalCost,
      unpriced: unpricedTokensIn(trace),
    });
  }

  /** Adds sums over other traces of the user: as adding these traces. */
  addTotals({ traces, first, last, errors, latency, tokens, cost, unpriced }: Omit<UserTotals, "userId">): void {
    if (this.#count === 0 || first < this.#first) this.#first = flattenText(first);
    if (this.#count === 0 || last > this.#last) this.#last = flattenText(last);
    this.#count += traces;
    this.#errors += errors;
    if (latency !== null) this.#latency = (this.#latency ?? 0) + latency;
    this.#tokens += tokens;
    this.#cost.add(cost);
    this.#unpriced += unpriced;
  }

  /** Returns the totals of the added traces. */
  summary(): UserSummary {
    return {
      userId: this.userId,
      traceCount: this.#count,
      firstSeen: this.#first,
      lastSeen: this.#last,
      errorCount: this.#errors,
      totalLatency: this.#latency === null ? null : this.#latency / 1000,
      totalTokens: addTokensOfTraces([this.#tokens]),
      totalCost: addCosts([this.#cost.value]),
      unpricedTokens: addTokensOfTraces([this.#unpriced]),
    };
  }
}

/** Returns the sort key of a user. */
export const userSortKey = (user: UserSummary, column: UserSortColumn): SortKey => {
  switch (column) {
    case "last_seen":
      return user.lastSeen;
    case "trace_count":
      return user.traceCount;
    case "errors":
      return user.errorCount;
    case "latency":
      return user.totalLatency;
    case "cost":
      return user.totalCost;
    case "tokens":
      return user.totalTokens;
    default:
      return column satisfies never;
  }
};
