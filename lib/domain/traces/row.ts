import { millisecondsBetween, type Instant } from "../instant.ts";
import {
  declaredValues,
  type DeclaredValue,
  spanFactsOf,
  type NameNumbers,
  type SpanFacts,
  previewOf,
} from "./facts.ts";
import type { DocumentFacts } from "./document-facts.ts";
import { firstErrorOf, type FirstError } from "./first-error.ts";
import { provenanceOf, type TraceProvenance } from "./provenance.ts";
import { endingOf, type TraceEnding } from "./times.ts";
import { contributionsOf, totalCost, totalTokens, type Contribution } from "./totals.ts";
import type { Span, Trace, TraceStatus } from "./trace.ts";

/** Location of a document piece: its id and number of stored parts. */
export interface PieceLocation {
  readonly id: string;
  readonly parts: number;
}

/** Information about a trace with which spans can be added without reading the trace's document. */
export interface AppendState {
  /** Row version that the last merge of document pieces wrote; detects merges that happened concurrently. */
  readonly mergedAt: number;
  readonly facts: DocumentFacts;
  readonly spanIds: SpanIdFilters;
  /** Merge state of each document piece, in the order of the pieces. */
  readonly ages: readonly PieceMergeState[];
}

/** Storage of the filter keys of a trace's spans, with which span ids are looked up (see `filterKeysOf`). */
export interface SpanIdFilters {
  /**
   * True if the filters tell which spans report usage or are within usage, and the row's sums are those of
   * `countedUsage`; false in rows of earlier versions.
   */
  readonly hasUsageKeys: boolean;
  /**
   * True if the first document piece is stored in the pointer item; its filter keys are then computed from the piece.
   */
  readonly inFirstPart: boolean;
  /** Filters stored beside the document, oldest first. */
  readonly filters: readonly SpanIdFilter[];
  /** Hashes of the newest filter keys, which are not in a stored filter yet. */
  readonly recent: readonly number[];
}

/** A stored span-id filter: its id and number of keys. */
export interface SpanIdFilter {
  readonly id: string;
  readonly count: number;
}

/** Merge state of a document piece: its size class (tier), which grows with every merge. */
export interface PieceMergeState {
  readonly tier: number;
  /** True if merging the piece with the preceding piece leaves the document unchanged. */
  readonly isMergeable: boolean;
}

/** Values that lists and filters need and that are not fields of the trace, computed from the document. */
export interface RowFacts {
  readonly spans: SpanFacts;
  /** First characters of the input, see `previewOf`; shorter if the row would become too large. */
  readonly preview: string | null;
  /** Values of the metadata keys that the project had declared when the row was written. */
  readonly metadata: readonly DeclaredValue[];
  readonly provenance: TraceProvenance;
  /** Error message of the span that failed first; null without one, and in rows that were written without it. */
  readonly firstError: FirstError | null;
}

/**
 * A trace as lists, filters and run snapshots see it. Writing the row commits the trace: without a row a trace does
 * not exist.
 */
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
  readonly ending: TraceEnding;
  readonly spanCount: number;
  /** Start of the first span; null without spans. */
  readonly firstSpanAt: Instant | null;
  /** Start of the span that started last; null without spans. */
  readonly lastSpanAt: Instant | null;
  /** Prompt and completion tokens of all spans, a whole number. */
  readonly totalTokens: number;
  readonly totalCost: number;
  /**
   * Usage by hour and model, which adds up to the totals; null if it is too large for a row and has to be read from
   * the document.
   */
  readonly contributions: readonly Contribution[] | null;
  /** Values for lists and filters; null in a row whose tail lacks them. */
  readonly facts: RowFacts | null;
  /** Version of the row, which increases by one with every change. */
  readonly version: number;
  /**
   * Row version of the last change that a judge would see: later changes only affected labels such as tags, or merged document pieces.
   */
  readonly contentVersion: number;
  /** Time of arrival by the service's clock, epoch milliseconds. */
  readonly arrivedAt: number;
  /** Time of the last change by the service's clock, epoch milliseconds. */
  readonly changedAt: number;
  /** Random id of this incarnation of the trace id: distinguishes data of a deleted trace with the same id. */
  readonly incarnation: string;
  /** Document pieces in the order in which they are applied. */
  readonly pieces: readonly PieceLocation[];
  /** State for adding spans without reading the document; null if it is missing or has to be recomputed. */
  readonly appendState: AppendState | null;
}

/** The fields of a trace row that lists and sums need. */
export interface ListedTrace extends Omit<
  TraceRow,
  "contributions" | "version" | "contentVersion" | "incarnation" | "pieces" | "appendState"
> {
  /** Milliseconds from start to end, see `latencyOf`; null while the trace runs. */
  readonly latency: number | null;
}

/** Returns the number of tokens with unknown cost. For a row without facts: all tokens if there is no cost, else 0. */
export const unpricedTokensIn = ({
  facts,
  totalTokens: tokens,
  totalCost: cost,
}: Pick<ListedTrace, "facts" | "totalTokens" | "totalCost">): number =>
  facts?.spans.unpricedTokens ?? (cost === 0 ? tokens : 0);

/** Returns the milliseconds from start to end; null if the trace has not ended, or ended before it started. */
export const latencyOf = (startedAt: Instant, endedAt: Instant | null): number | null => {
  if (endedAt === null) return null;
  const latency = millisecondsBetween(startedAt, endedAt);
  return latency < 0 ? null : latency;
};

/** Returns the starts of the first and the last span. */
export const spanRange = (spans: readonly Span[]): Pick<TraceRow, "firstSpanAt" | "lastSpanAt"> => {
  let firstSpanAt: Instant | null = null;
  let lastSpanAt: Instant | null = null;
  for (const { started_at: at } of spans) {
    if (firstSpanAt === null || at < firstSpanAt) firstSpanAt = at;
    if (lastSpanAt === null || at > lastSpanAt) lastSpanAt = at;
  }
  return { firstSpanAt, lastSpanAt };
};

/** Computes the facts of a whole trace. @param keys metadata keys that the project has declared. */
export const rowFactsOf = (trace: Trace, numbers: NameNumbers, keys: readonly string[]): RowFacts => ({
  spans: spanFactsOf(trace.spans, numbers),
  preview: previewOf(trace.input),
  metadata: declaredValues(trace.metadata, keys),
  provenance: provenanceOf([trace, ...trace.spans]),
  firstError: firstErrorOf(trace.spans),
});

/** Builds the row of a trace. @param rowState fields that do not depend on the trace's content. */
export const rowOf = (
  trace: Trace,
  rowState: Pick<
    TraceRow,
    "facts" | "version" | "contentVersion" | "arrivedAt" | "changedAt" | "incarnation" | "pieces" | "appendState"
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
    ending: endingOf(trace),
    spanCount: trace.spans.length,
    ...spanRange(trace.spans),
    totalTokens: totalTokens(contributions),
    totalCost: totalCost(contributions),
    contributions,
    facts: rowState.facts,
    version: rowState.version,
    contentVersion: rowState.contentVersion,
    arrivedAt: rowState.arrivedAt,
    changedAt: rowState.changedAt,
    incarnation: rowState.incarnation,
    pieces: rowState.pieces,
    appendState: rowState.appendState,
  };
};
