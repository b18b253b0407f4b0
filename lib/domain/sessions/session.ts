import type { ListedTrace } from "../traces/row.ts";
import { ExactSum } from "../exact-sum.ts";
import { addCosts, addTokens } from "../traces/totals.ts";
import { sortedTags } from "../order.ts";
import type { Instant } from "../instant.ts";

/** What a list of sessions can be ordered by; `recent` is the arrival of the newest trace. */
export const sessionSortColumns = ["recent", "trace_count", "latency", "cost"] as const;
export type SessionSortColumn = (typeof sessionSortColumns)[number];

/** Traces with one session id, summed up. */
export interface Session {
  readonly sessionId: string;
  readonly traceCount: number;
  readonly firstTraceAt: Instant;
  /** End of the trace that ended last; null when none has. */
  readonly lastTraceAt: Instant | null;
  /** Milliseconds, of the traces that have a latency; null when none has. */
  readonly totalLatency: number | null;
  readonly hasError: boolean;
  /** Of the trace that started first among those that have a user. */
  readonly userId: string | null;
  readonly tags: readonly string[];
  readonly spanCount: number;
  readonly totalTokens: number;
  readonly totalCost: number;
  /** When the newest trace arrived, epoch milliseconds. */
  readonly newestArrival: number;
}

/** What of a trace its session is summed up from. */
export type SessionPart = Pick<
  ListedTrace,
  | "traceId"
  | "startedAt"
  | "endedAt"
  | "latency"
  | "status"
  | "userId"
  | "tags"
  | "spanCount"
  | "totalTokens"
  | "totalCost"
  | "arrivedAt"
>;

/** Adds the traces of one session up, one by one, in any order. */
export class SessionSum {
  readonly #sessionId: string;
  #count = 0;
  #firstAt: Instant | null = null;
  #lastAt: Instant | null = null;
  /** Whole microseconds add up exactly. */
  #latency: number | null = null;
  #hasError = false;
  #user: { readonly id: string; readonly startedAt: Instant; readonly traceId: string } | null = null;
  readonly #tags = new Set<string>();
  #spans = 0;
  #tokens = 0;
  readonly #cost = new ExactSum();
  #arrival = 0;

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  add(trace: SessionPart): void {
    const { startedAt, endedAt, latency, userId } = trace;
    this.#count += 1;
    if (this.#firstAt === null || startedAt < this.#firstAt) this.#firstAt = startedAt;
    if (endedAt !== null && (this.#lastAt === null || endedAt > this.#lastAt)) this.#lastAt = endedAt;
    if (latency !== null) this.#latency = (this.#latency ?? 0) + Math.round(latency * 1000);
    this.#hasError ||= trace.status === "ERROR";
    if (userId !== null && this.#isEarliest(startedAt, trace)) {
      this.#user = { id: userId, startedAt, traceId: trace.traceId };
    }
    for (const tag of trace.tags) this.#tags.add(tag);
    this.#spans += trace.spanCount;
    this.#tokens += trace.totalTokens;
    this.#cost.add(trace.totalCost);
    this.#arrival = Math.max(this.#arrival, trace.arrivedAt);
  }

  #isEarliest(startedAt: Instant, trace: SessionPart): boolean {
    if (this.#user === null || startedAt < this.#user.startedAt) return true;
    return startedAt === this.#user.startedAt && trace.traceId < this.#user.traceId;
  }

  /** The sum of what was added; null when nothing was. */
  session(): Session | null {
    if (this.#firstAt === null) return null;
    return {
      sessionId: this.#sessionId,
      traceCount: this.#count,
      firstTraceAt: this.#firstAt,
      lastTraceAt: this.#lastAt,
      totalLatency: this.#latency === null ? null : this.#latency / 1000,
      hasError: this.#hasError,
      userId: this.#user?.id ?? null,
      tags: sortedTags([...this.#tags]),
      spanCount: this.#spans,
      totalTokens: addTokens([this.#tokens]),
      totalCost: addCosts([this.#cost.value]),
      newestArrival: this.#arrival,
    };
  }
}

/** The value that sessions are ordered by. */
export const sessionSortKey = (session: Session, column: SessionSortColumn): number | null => {
  switch (column) {
    case "recent":
      return session.newestArrival;
    case "trace_count":
      return session.traceCount;
    case "latency":
      return session.totalLatency;
    case "cost":
      return session.totalCost;
    default:
      return column satisfies never;
  }
};
