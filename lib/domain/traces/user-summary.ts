import { ExactSum } from "../exact-sum.ts";
import { flatText } from "../flat-text.ts";
import type { SortKey } from "../list-order.ts";
import { unpricedTokensIn, type ListedTrace } from "./row.ts";
import { addCosts, addTokens } from "./totals.ts";
import type { Instant } from "../instant.ts";

/** What a list of users can be ordered by; the first is the default. */
export const userSortColumns = ["last_seen", "trace_count", "errors", "latency", "cost", "tokens"] as const;
export type UserSortColumn = (typeof userSortColumns)[number];

/** The traces of one user, summed up. */
export interface UserSummary {
  readonly userId: string;
  readonly traceCount: number;
  /** Start of the first trace, and of the last. */
  readonly firstSeen: Instant;
  readonly lastSeen: Instant;
  readonly errorCount: number;
  /** Milliseconds, of the traces that have a latency; null when none has. */
  readonly totalLatency: number | null;
  readonly totalTokens: number;
  readonly totalCost: number;
  /** Tokens that no cost is known for. */
  readonly unpricedTokens: number;
}

/** Adds the traces of one user up, one by one, in any order. */
export class UserSum {
  readonly userId: string;
  #count = 0;
  #first: Instant = "";
  #last: Instant = "";
  #errors = 0;
  /** Whole microseconds add up exactly. */
  #latency: number | null = null;
  #tokens = 0;
  readonly #cost = new ExactSum();
  #unpriced = 0;

  constructor(userId: string) {
    this.userId = userId;
  }

  add(trace: Pick<ListedTrace, "startedAt" | "status" | "latency" | "totalTokens" | "totalCost" | "facts">): void {
    const { startedAt, status, latency, totalTokens, totalCost } = trace;
    if (this.#count === 0 || startedAt < this.#first) this.#first = flatText(startedAt);
    if (this.#count === 0 || startedAt > this.#last) this.#last = flatText(startedAt);
    this.#count += 1;
    if (status === "ERROR") this.#errors += 1;
    if (latency !== null) this.#latency = (this.#latency ?? 0) + Math.round(latency * 1000);
    this.#tokens += totalTokens;
    this.#cost.add(totalCost);
    this.#unpriced += unpricedTokensIn(trace);
  }

  /** The sum of what was added. */
  summary(): UserSummary {
    return {
      userId: this.userId,
      traceCount: this.#count,
      firstSeen: this.#first,
      lastSeen: this.#last,
      errorCount: this.#errors,
      totalLatency: this.#latency === null ? null : this.#latency / 1000,
      totalTokens: addTokens([this.#tokens]),
      totalCost: addCosts([this.#cost.value]),
      unpricedTokens: addTokens([this.#unpriced]),
    };
  }
}

/** The value that users are ordered by. */
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
