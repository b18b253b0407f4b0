import { unpricedTokensIn, type ListedTrace } from "../traces/row.ts";
import { hasFailedSpan } from "../traces/filter.ts";
import { ExactSum } from "../exact-sum.ts";
import { addCosts, addTokensOfTraces } from "../traces/totals.ts";
import { flattenText, textBytes, sortedTags } from "../text.ts";
import type { Instant } from "../instant.ts";

/** Sort keys of a list of sessions; `recent` is the arrival time of the newest trace. */
export const sessionSortColumns = ["recent", "trace_count", "latency", "cost", "tokens", "errors"] as const;
export type SessionSortColumn = (typeof sessionSortColumns)[number];

/** A session: totals of the traces with the same session id. */
export interface Session {
  readonly sessionId: string;
  readonly traceCount: number;
  readonly firstTraceAt: Instant;
  /** End of the trace that ended last; null if none has ended. */
  readonly lastTraceAt: Instant | null;
  /** Sum of the traces' latencies in milliseconds; null if no trace has one. */
  readonly totalLatency: number | null;
  /** True if a trace has the status ERROR. */
  readonly hasError: boolean;
  /** True if a trace has the status ERROR or a failed span. */
  readonly hasFailedSpan: boolean;
  /** User of the earliest trace that has one. */
  readonly userId: string | null;
  readonly tags: readonly string[];
  readonly spanCount: number;
  readonly totalTokens: number;
  readonly totalCost: number;
  /** Tokens of the session with unknown cost. */
  readonly unpricedTokens: number;
  /** Arrival time of the newest trace, epoch milliseconds. */
  readonly newestArrival: number;
}

/** Returns a session that only traces of other sessions have spans of. */
export const sessionWithoutTraces = (sessionId: string, firstTraceAt: Instant): Session => ({
  sessionId,
  traceCount: 0,
  firstTraceAt,
  lastTraceAt: null,
  totalLatency: null,
  hasError: false,
  hasFailedSpan: false,
  userId: null,
  tags: [],
  spanCount: 0,
  totalTokens: 0,
  totalCost: 0,
  unpricedTokens: 0,
  newestArrival: 0,
});

/** Fields of a trace that its session is computed from. */
export type SummarizedTrace = Pick<
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
  | "facts"
  | "arrivedAt"
>;

/** The state of a session sum as plain data; adding it to another sum equals adding its traces. */
export interface SessionSumState {
  readonly count: number;
  readonly firstAt: Instant | null;
  readonly lastAt: Instant | null;
  /** Sum of the latencies in whole microseconds; null if no trace has one. */
  readonly latency: number | null;
  readonly hasError: boolean;
  /** Number of failed traces; absent in stored sums. */
  readonly errors?: number;
  readonly hasFailedSpan: boolean;
  /** User of the earliest trace that has one. */
  readonly user: { readonly id: string; readonly startedAt: Instant; readonly traceId: string } | null;
  readonly tags: readonly string[];
  readonly spans: number;
  readonly tokens: number;
  /** Exact sum of the costs in US dollars: sum and compensation term, see `ExactSum`. */
  readonly cost: readonly [sum: number, dropped: number];
  readonly unpriced: number;
  readonly arrival: number;
}

const noTags: readonly string[] = [];

/** Estimated memory of a tag beside its characters: string header and set entry. */
const tagBytes = 64;

/** Maximum number of tags kept in an array; more are kept in a set. */
const maxTagsInArray = 8;

/**
 * Sums up the traces of one session, in any order. A list holds one instance per session, so memory is kept small:
 * strings are flattened, and objects are created only when needed.
 */
export class SessionSum {
  readonly sessionId: string;
  #count = 0;
  #firstAt: Instant | null = null;
  #lastAt: Instant | null = null;
  /** Sum of the latencies; whole microseconds add up exactly. */
  #latency: number | null = null;
  #errors = 0;
  #hasError = false;
  #hasFailedSpan = false;
  /** User of the earliest trace that has one, with the start and id of that trace. */
  #user: string | null = null;
  #userStart: Instant = "";
  #userTrace = "";
  #tags: readonly string[] | Set<string> = noTags;
  #spans = 0;
  #tokens = 0;
  readonly #cost = new ExactSum();
  #unpriced = 0;
  #arrival = 0;

  constructor(sessionId: string) {
    this.sessionId = sessionId;
  }

  /** Adds a trace. @returns bytes of the trace's texts that the sum keeps in memory. */
  add(trace: SummarizedTrace): number {
    const { startedAt, endedAt, latency, userId } = trace;
    let addedBytes = 0;
    this.#count += 1;
    this.#addTimes(startedAt, endedAt);
    if (latency !== null) this.#latency = (this.#latency ?? 0) + Math.round(latency * 1000);
    if (trace.status === "ERROR") this.#errors += 1;
    this.#hasError ||= trace.status === "ERROR";
    this.#hasFailedSpan ||= hasFailedSpan(trace);
    if (userId !== null) addedBytes += this.#addUser(userId, startedAt, trace);
    for (const tag of trace.tags) addedBytes += this.#addTag(tag);
    this.#spans += trace.spanCount;
    this.#tokens += trace.totalTokens;
    this.#cost.add(trace.totalCost);
    this.#unpriced += unpricedTokensIn(trace);
    this.#arrival = Math.max(this.#arrival, trace.arrivedAt);
    return addedBytes;
  }

  /** Number of failed traces, but of those in stored sums. */
  get errors(): number {
    return this.#errors;
  }

  /** Adds the state of another sum. */
  addState(state: SessionSumState): void {
    const { firstAt, lastAt, latency, user } = state;
    if (firstAt === null) return;
    this.#count += state.count;
    this.#addTimes(firstAt, lastAt);
    if (latency !== null) this.#latency = (this.#latency ?? 0) + latency;
    this.#errors += state.errors ?? 0;
    this.#hasError ||= state.hasError;
    this.#hasFailedSpan ||= state.hasFailedSpan;
    if (user !== null) this.#addUser(user.id, user.startedAt, user);
    for (const tag of state.tags) this.#addTag(tag);
    this.#spans += state.spans;
    this.#tokens += state.tokens;
    for (const part of state.cost) this.#cost.add(part);
    this.#unpriced += state.unpriced;
    this.#arrival = Math.max(this.#arrival, state.arrival);
  }

  state(): SessionSumState {
    return {
      count: this.#count,
      firstAt: this.#firstAt,
      lastAt: this.#lastAt,
      latency: this.#latency,
      hasError: this.#hasError,
      hasFailedSpan: this.#hasFailedSpan,
      user: this.#user === null ? null : { id: this.#user, startedAt: this.#userStart, traceId: this.#userTrace },
      tags: [...this.#tags],
      spans: this.#spans,
      tokens: this.#tokens,
      cost: this.#cost.parts,
      unpriced: this.#unpriced,
      arrival: this.#arrival,
    };
  }

  #addTimes(startedAt: Instant, endedAt: Instant | null): void {
    if (this.#firstAt === null || startedAt < this.#firstAt) this.#firstAt = flattenText(startedAt);
    if (endedAt !== null && (this.#lastAt === null || endedAt > this.#lastAt)) this.#lastAt = flattenText(endedAt);
  }

  /** Stores the user of a trace that started before the trace of the stored user. @returns bytes of the added texts. */
  #addUser(user: string, startedAt: Instant, trace: Pick<SummarizedTrace, "traceId">): number {
    if (!this.#isEarliest(startedAt, trace)) return 0;
    this.#user = flattenText(user);
    this.#userStart = startedAt === this.#firstAt ? this.#firstAt : flattenText(startedAt);
    this.#userTrace = flattenText(trace.traceId);
    return textBytes(user);
  }

  #addTag(tag: string): number {
    if (this.#tags instanceof Set) {
      if (this.#tags.has(tag)) return 0;
      this.#tags.add(tag);
    } else {
      if (this.#tags.includes(tag)) return 0;
      const tags = [...this.#tags, tag];
      this.#tags = tags.length > maxTagsInArray ? new Set(tags) : tags;
    }
    return tagBytes + textBytes(tag);
  }

  #isEarliest(startedAt: Instant, trace: Pick<SummarizedTrace, "traceId">): boolean {
    if (this.#user === null || startedAt < this.#userStart) return true;
    return startedAt === this.#userStart && trace.traceId < this.#userTrace;
  }

  /** Returns the session; null if nothing was added. */
  session(): Session | null {
    if (this.#firstAt === null) return null;
    return {
      sessionId: this.sessionId,
      traceCount: this.#count,
      firstTraceAt: this.#firstAt,
      lastTraceAt: this.#lastAt,
      totalLatency: this.#latency === null ? null : this.#latency / 1000,
      hasError: this.#hasError,
      hasFailedSpan: this.#hasFailedSpan,
      userId: this.#user,
      tags: sortedTags([...this.#tags]),
      spanCount: this.#spans,
      totalTokens: addTokensOfTraces([this.#tokens]),
      totalCost: addCosts([this.#cost.value]),
      unpricedTokens: addTokensOfTraces([this.#unpriced]),
      newestArrival: this.#arrival,
    };
  }
}

/** Returns the sort key of a session. @param errors number of its failed traces. */
export const sessionSortKey = (session: Session, errors: number, column: SessionSortColumn): number | null => {
  switch (column) {
    case "recent":
      return session.newestArrival;
    case "trace_count":
      return session.traceCount;
    case "latency":
      return session.totalLatency;
    case "cost":
      return session.totalCost;
    case "tokens":
      return session.totalTokens;
    case "errors":
      return errors;
    default:
      return column satisfies never;
  }
};
