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
    const { startedAt, status, latency, totalTokens, totalCost } = trace;
    if (this.#count === 0 || startedAt < this.#first) this.#first = flattenText(startedAt);
    if (this.#count === 0 || startedAt > this.#last) this.#last = flattenText(startedAt);
    this.#count += 1;
    if (status === "ERROR") this.#errors += 1;
    if (latency !== null) this.#latency = (this.#latency ?? 0) + Math.round(latency * 1000);
    this.#tokens += totalTokens;
    this.#cost.add(totalCost);
    this.#unpriced += unpricedTokensIn(trace);
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
