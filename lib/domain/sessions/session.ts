import { unpricedTokensIn, type ListedTrace } from "../traces/row.ts";
import { ExactSum } from "../exact-sum.ts";
import { addCosts, addTokens } from "../traces/totals.ts";
import { flatText, textBytes } from "../flat-text.ts";
import { sortedTags } from "../order.ts";
import type { Instant } from "../instant.ts";

/** What a list of sessions can be ordered by; `recent` is the arrival of the newest trace. */
export const sessionSortColumns = ["recent", "trace_count", "latency", "cost", "tokens", "errors"] as const;
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
  /** Tokens that no cost is known for. */
  readonly unpricedTokens: number;
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
  | "facts"
  | "arrivedAt"
>;

/** What was added to a sum, as plain data: what is added to another sum is as if its traces had been. */
export interface SumState {
  readonly count: number;
  readonly firstAt: Instant | null;
  readonly lastAt: Instant | null;
  /** Whole microseconds. */
  readonly latency: number | null;
  readonly hasError: boolean;
  /** Of the earliest trace that has one. */
  readonly user: { readonly id: string; readonly startedAt: Instant; readonly traceId: string } | null;
  readonly tags: readonly string[];
  readonly spans: number;
  readonly tokens: number;
  /** See `ExactSum`. */
  readonly cost: readonly [sum: number, dropped: number];
  readonly unpriced: number;
  readonly arrival: number;
}

const noTags: readonly string[] = [];

/** What a tag takes beside its characters: its own header, and its place in a set. */
const tagBytes = 64;

/** Tags of one session, beyond which they are looked up instead of gone through. */
const fewTags = 8;

/**
 * Adds the traces of one session up, one by one, in any order. A list holds as many of these as there are sessions: what it
 * keeps is kept in one piece, and nothing is made before it is needed.
 */
export class SessionSum {
  readonly sessionId: string;
  #count = 0;
  #firstAt: Instant | null = null;
  #lastAt: Instant | null = null;
  /** Whole microseconds add up exactly. */
  #latency: number | null = null;
  #errors = 0;
  #hasError = false;
  /** Of the earliest trace that has a user: the user, its start and its id. */
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

  /** @returns the bytes of text that are kept of the trace. */
  add(trace: SessionPart): number {
    const { startedAt, endedAt, latency, userId } = trace;
    let kept = 0;
    this.#count += 1;
    this.#addTimes(startedAt, endedAt);
    if (latency !== null) this.#latency = (this.#latency ?? 0) + Math.round(latency * 1000);
    if (trace.status === "ERROR") this.#errors += 1;
    this.#hasError ||= trace.status === "ERROR";
    if (userId !== null) kept += this.#addUser(userId, startedAt, trace);
    for (const tag of trace.tags) kept += this.#addTag(tag);
    this.#spans += trace.spanCount;
    this.#tokens += trace.totalTokens;
    this.#cost.add(trace.totalCost);
    this.#unpriced += unpricedTokensIn(trace);
    this.#arrival = Math.max(this.#arrival, trace.arrivedAt);
    return kept;
  }

  /** Traces that failed, of those that were added one by one. */
  get errors(): number {
    return this.#errors;
  }

  /** Adds what another sum was made of. */
  addState(state: SumState): void {
    const { firstAt, lastAt, latency, user } = state;
    if (firstAt === null) return;
    this.#count += state.count;
    this.#addTimes(firstAt, lastAt);
    if (latency !== null) this.#latency = (this.#latency ?? 0) + latency;
    this.#hasError ||= state.hasError;
    if (user !== null) this.#addUser(user.id, user.startedAt, user);
    for (const tag of state.tags) this.#addTag(tag);
    this.#spans += state.spans;
    this.#tokens += state.tokens;
    for (const part of state.cost) this.#cost.add(part);
    this.#unpriced += state.unpriced;
    this.#arrival = Math.max(this.#arrival, state.arrival);
  }

  state(): SumState {
    return {
      count: this.#count,
      firstAt: this.#firstAt,
      lastAt: this.#lastAt,
      latency: this.#latency,
      hasError: this.#hasError,
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
    if (this.#firstAt === null || startedAt < this.#firstAt) this.#firstAt = flatText(startedAt);
    if (endedAt !== null && (this.#lastAt === null || endedAt > this.#lastAt)) this.#lastAt = flatText(endedAt);
  }

  /** Keeps the user of a trace that is earlier than that of the one it has. */
  #addUser(user: string, startedAt: Instant, trace: Pick<SessionPart, "traceId">): number {
    if (!this.#isEarliest(startedAt, trace)) return 0;
    this.#user = flatText(user);
    this.#userStart = startedAt === this.#firstAt ? this.#firstAt : flatText(startedAt);
    this.#userTrace = flatText(trace.traceId);
    return textBytes(user);
  }

  #addTag(tag: string): number {
    if (this.#tags instanceof Set) {
      if (this.#tags.has(tag)) return 0;
      this.#tags.add(tag);
    } else {
      if (this.#tags.includes(tag)) return 0;
      const tags = [...this.#tags, tag];
      this.#tags = tags.length > fewTags ? new Set(tags) : tags;
    }
    return tagBytes + textBytes(tag);
  }

  #isEarliest(startedAt: Instant, trace: Pick<SessionPart, "traceId">): boolean {
    if (this.#user === null || startedAt < this.#userStart) return true;
    return startedAt === this.#userStart && trace.traceId < this.#userTrace;
  }

  /** The sum of what was added; null when nothing was. */
  session(): Session | null {
    if (this.#firstAt === null) return null;
    return {
      sessionId: this.sessionId,
      traceCount: this.#count,
      firstTraceAt: this.#firstAt,
      lastTraceAt: this.#lastAt,
      totalLatency: this.#latency === null ? null : this.#latency / 1000,
      hasError: this.#hasError,
      userId: this.#user,
      tags: sortedTags([...this.#tags]),
      spanCount: this.#spans,
      totalTokens: addTokens([this.#tokens]),
      totalCost: addCosts([this.#cost.value]),
      unpricedTokens: addTokens([this.#unpriced]),
      newestArrival: this.#arrival,
    };
  }
}

/** The value that sessions are ordered by. @param errors of its traces, those that failed. */
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
