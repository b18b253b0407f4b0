import { millisecondsBetween, type Instant } from "../instant.ts";
import { declaredValues, type DeclaredValue } from "./declared.ts";
import { spanFactsOf, type NameNumbers, type SpanFacts } from "./facts.ts";
import type { LateFacts } from "./late-facts.ts";
import { previewOf } from "./preview.ts";
import { contributionsOf, totalCost, totalTokens, type Contribution } from "./totals.ts";
import type { Span, Trace, TraceStatus } from "./trace.ts";

/** Where a piece of the document lies: its id and in how many stored parts. */
export interface PieceLocation {
  readonly id: string;
  readonly parts: number;
}

/** What a late span needs to know of the trace it comes to. */
export interface LateKnowledge {
  /** The version of the row since which no pieces of the document were put together. */
  readonly mergedAt: number;
  readonly facts: LateFacts;
  readonly marks: KnownMarks;
  /** For each piece, in their order: how often it was put together with others, and whether it may be. */
  readonly ages: readonly PieceAge[];
}

/** Where the marks of a trace's spans lie (see `marksOf`), all of them. */
export interface KnownMarks {
  /** Whether those of the first piece follow from it: it lies in the pointer whole. */
  readonly inFirstPart: boolean;
  /** Filters that are stored beside the document, oldest first. */
  readonly filters: readonly MarkFilter[];
  /** Hashes of the newest marks, which are in none of them. */
  readonly recent: readonly number[];
}

/** A filter of marks: its id, and how many are in it. */
export interface MarkFilter {
  readonly id: string;
  readonly count: number;
}

export interface PieceAge {
  readonly tier: number;
  /** Whether what it does is the same when it is done in one with the piece before it. */
  readonly joins: boolean;
}

/** What lists show and find traces by beside a row's own fields. */
export interface RowFacts {
  readonly spans: SpanFacts;
  /** See `previewOf`; shorter where it would not fit what a row costs. */
  readonly preview: string | null;
  /** Values of the keys that the project had declared when the row was written. */
  readonly metadata: readonly DeclaredValue[];
}

/** A trace as lists, filters and run snapshots see it. The row is the commit: a trace without one does not exist. */
export interface TraceRow {
  readonly traceId: string;
  readonly name: string;
  readonly status: TraceStatus;
  readonly startedAt: Instant;
  readonly endedAt: Instant | null;
  readonly sessionId: string | null;
  readonly userId: string | null;
  readonly tags: readonly string[];
  readonly environment: string | null;
  readonly release: string | null;
  readonly spanCount: number;
  /** Start of the span that started first, and of the one that started last; null without spans. */
  readonly firstSpanAt: Instant | null;
  readonly lastSpanAt: Instant | null;
  /** Prompt and completion tokens of all spans, a whole number. */
  readonly totalTokens: number;
  readonly totalCost: number;
  /** What adds up to the totals, by hour and model; null when it is too much for a row: the document tells it then. */
  readonly contributions: readonly Contribution[] | null;
  /** Null in a row that was written before rows said it, or changed by functions of that version. */
  readonly facts: RowFacts | null;
  /** Rises by one with every change. */
  readonly version: number;
  /** The version since which a judge would see the same: only tags have changed, and pieces were put together. */
  readonly contentVersion: number;
  /** Our clock, epoch milliseconds. */
  readonly arrivedAt: number;
  readonly changedAt: number;
  /** Random, new whenever a trace id is stored anew: what belongs to a deleted incarnation is told apart by it. */
  readonly incarnation: string;
  /** What the document is folded from, in order. */
  readonly pieces: readonly PieceLocation[];
  /** Null where it is not known, as in rows of an earlier version: the document tells. */
  readonly late: LateKnowledge | null;
}

/** What a row says by itself, without what storage keeps beside it: all that lists and sums need. */
export interface ListedTrace extends Omit<
  TraceRow,
  "contributions" | "version" | "contentVersion" | "incarnation" | "pieces" | "late"
> {
  /** See `latencyOf`. */
  readonly latency: number | null;
}

/** Tokens that no cost is known for, as far as the row tells: one of an earlier version tells whether there is a cost at all. */
export const unpricedTokensIn = ({
  facts,
  totalTokens: tokens,
  totalCost: cost,
}: Pick<ListedTrace, "facts" | "totalTokens" | "totalCost">): number =>
  facts?.spans.unpricedTokens ?? (cost === 0 ? tokens : 0);

/** Milliseconds from start to end; null while the trace has not ended, and when it ended before it started. */
export const latencyOf = (startedAt: Instant, endedAt: Instant | null): number | null => {
  if (endedAt === null) return null;
  const latency = millisecondsBetween(startedAt, endedAt);
  return latency < 0 ? null : latency;
};

/** When the first and the last of some spans started. */
export const spanRange = (spans: readonly Span[]): Pick<TraceRow, "firstSpanAt" | "lastSpanAt"> => {
  let firstSpanAt: Instant | null = null;
  let lastSpanAt: Instant | null = null;
  for (const { started_at: at } of spans) {
    if (firstSpanAt === null || at < firstSpanAt) firstSpanAt = at;
    if (lastSpanAt === null || at > lastSpanAt) lastSpanAt = at;
  }
  return { firstSpanAt, lastSpanAt };
};

/** @param keys of metadata that the project has declared. */
export const rowFactsOf = (trace: Trace, numbers: NameNumbers, keys: readonly string[]): RowFacts => ({
  spans: spanFactsOf(trace.spans, numbers),
  preview: previewOf(trace.input),
  metadata: declaredValues(trace.metadata, keys),
});

/** The row of a trace, given what storage knows of it. */
export const rowOf = (
  trace: Trace,
  stored: Pick<
    TraceRow,
    "facts" | "version" | "contentVersion" | "arrivedAt" | "changedAt" | "incarnation" | "pieces" | "late"
  >,
): TraceRow => {
  const contributions = contributionsOf(trace.spans);
  return {
    traceId: trace.trace_id,
    name: trace.name,
    status: trace.status,
    startedAt: trace.started_at,
    endedAt: trace.ended_at,
    sessionId: trace.session_id,
    userId: trace.user_id,
    tags: trace.tags,
    environment: trace.environment,
    release: trace.release,
    spanCount: trace.spans.length,
    ...spanRange(trace.spans),
    totalTokens: totalTokens(contributions),
    totalCost: totalCost(contributions),
    contributions,
    facts: stored.facts,
    version: stored.version,
    contentVersion: stored.contentVersion,
    arrivedAt: stored.arrivedAt,
    changedAt: stored.changedAt,
    incarnation: stored.incarnation,
    pieces: stored.pieces,
    late: stored.late,
  };
};
