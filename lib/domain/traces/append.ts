import { sortedTags } from "../order.ts";
import { derivedBy } from "./derivation.ts";
import { declaredValues } from "./declared.ts";
import { withSpans, type NameNumbers } from "./facts.ts";
import { bytesOf, keysHash, type LateFacts } from "./late-facts.ts";
import { previewOf } from "./preview.ts";
import type { IdentifiedTrace } from "./input.ts";
import { maxBytes, maxSpans, maxTags } from "./limits.ts";
import { mergeSpans } from "./merge.ts";
import type { TracePiece } from "./piece.ts";
import { spanRange, type RowFacts, type TraceRow } from "./row.ts";
import { marksAgainst, marksOf } from "./span-marks.ts";
import {
  addCosts,
  addTokens,
  contributionsOf,
  isExact,
  joinedContributions,
  totalCost,
  totalTokens,
} from "./totals.ts";
import type { Span } from "./trace.ts";

/** What may add spans to a trace. */
export type AddingPiece = Extract<TracePiece, { kind: "trace" | "telemetry" | "spans" }>;

/** What of a row changes with its document. */
type Content = Omit<
  TraceRow,
  "version" | "contentVersion" | "arrivedAt" | "changedAt" | "incarnation" | "pieces" | "late"
>;

/** What a trace is after spans were added that it did not have. */
export interface Addition {
  readonly content: Content;
  readonly facts: LateFacts;
  /** Marks of the spans (see `marksOf`). */
  readonly marks: ReadonlySet<string>;
  /** Marks of which the trace must have none: else only the document tells what it is. */
  readonly marksAgainst: ReadonlySet<string>;
  /** Whether the piece may be put together with others like it, unseen. */
  readonly joins: boolean;
}

/** Names of the fields that a trace gains when it is sent again. */
const fieldNames = 300;

const contentWith = (row: TraceRow, facts: RowFacts, spans: readonly Span[]): Content => {
  const added = contributionsOf(spans);
  const contributions = row.contributions === null ? null : joinedContributions(row.contributions, added);
  const range = spanRange(spans);
  const isEarlier = row.firstSpanAt === null || (range.firstSpanAt ?? "") < row.firstSpanAt;
  const isLater = row.lastSpanAt === null || (range.lastSpanAt ?? "") > row.lastSpanAt;
  return {
    traceId: row.traceId,
    name: row.name,
    status: row.status,
    startedAt: row.startedAt,
    endedAt: row.endedAt,
    sessionId: row.sessionId,
    userId: row.userId,
    tags: row.tags,
    environment: row.environment,
    release: row.release,
    spanCount: row.spanCount + spans.length,
    firstSpanAt: isEarlier ? range.firstSpanAt : row.firstSpanAt,
    lastSpanAt: isLater ? range.lastSpanAt : row.lastSpanAt,
    totalTokens: contributions === null ? addTokens([row.totalTokens, totalTokens(added)]) : totalTokens(contributions),
    totalCost: contributions === null ? addCosts([row.totalCost, totalCost(added)]) : totalCost(contributions),
    contributions,
    facts,
  };
};

const rowFactsWith = (
  before: RowFacts,
  piece: AddingPiece,
  spans: readonly Span[],
  numbers: NameNumbers,
  keys: readonly string[],
): RowFacts => {
  const metadata = piece.kind === "spans" ? {} : (piece.trace.metadata ?? {});
  const sent = piece.kind === "trace" ? (piece.trace.input ?? null) : null;
  return {
    spans: withSpans(before.spans, spans, numbers),
    preview: sent === null ? before.preview : previewOf(sent),
    metadata: keys.flatMap((key) =>
      Object.hasOwn(metadata, key)
        ? declaredValues(metadata, [key])
        : before.metadata.filter((value) => value.key === key),
    ),
  };
};

const withSent = (content: Content, sent: IdentifiedTrace): Content => ({
  ...content,
  name: sent.name,
  status: sent.status ?? content.status,
  startedAt: sent.started_at,
  endedAt: sent.ended_at ?? content.endedAt,
  sessionId: sent.session_id ?? content.sessionId,
  userId: sent.user_id ?? content.userId,
  environment: sent.environment ?? content.environment,
  release: sent.release ?? content.release,
});

/** The spans of a piece, those that it has twice as one. */
export const spansIn = (piece: AddingPiece): readonly Span[] =>
  mergeSpans([], (piece.kind === "spans" ? piece.spans : piece.trace.spans) ?? []);

/**
 * What a trace is after a piece, provided that it has none of `marksAgainst`: exactly what `withPiece` makes of the document
 * (but for bytes, which are a bound).
 *
 * @param numbers of the names in its spans.
 * @param keys of metadata that the project has declared.
 * @returns null where the row does not know enough, or the trace may pass a limit.
 */
export const addition = (
  row: TraceRow,
  facts: LateFacts,
  piece: AddingPiece,
  numbers: NameNumbers,
  keys: readonly string[],
): Addition | null => {
  const spans = spansIn(piece);
  if (row.facts === null || facts.keys !== keysHash(keys)) return null;
  const rowFacts = rowFactsWith(row.facts, piece, spans, numbers, keys);
  const content = contentWith(row, rowFacts, spans);
  const sums = { totalTokens: content.totalTokens, totalCost: content.totalCost };
  if (spans.length === 0 || !facts.exact || !isExact(spans, content.contributions ?? [], sums)) return null;

  const sizes = spans.map(bytesOf);
  // Spans are parted by commas.
  let bytes = facts.bytes + sizes.reduce((sum, size) => sum + size + 1, 0) - (row.spanCount === 0 ? 1 : 0);
  const against = marksAgainst(spans);
  let next: Pick<Addition, "content" | "joins"> & Pick<LateFacts, "edges" | "derivation"> = {
    content,
    edges: facts.edges,
    derivation: null,
    joins: true,
  };
  let others: ReadonlySet<string> = new Set();

  if (piece.kind === "trace") {
    if (facts.derivation !== null) return null;
    const tags = sortedTags([...row.tags, ...(piece.trace.tags ?? [])]);
    bytes += bytesOf({ ...piece.trace, spans: [], tags: [] }) + fieldNames;
    next = { ...next, content: { ...withSent(content, piece.trace), tags } };
  } else if (piece.kind === "telemetry" || facts.derivation !== null) {
    const isTelemetry = piece.kind === "telemetry";
    if (facts.derivation === null) return null;
    const sent = isTelemetry ? (piece.trace.metadata ?? {}) : {};
    const derived = derivedBy(row, facts.derivation, spans, sent, isTelemetry);
    if (derived === null) return null;
    const { fields } = derived;
    const tags = isTelemetry ? sortedTags([...row.tags, ...(piece.trace.tags ?? [])]).slice(0, maxTags) : row.tags;
    bytes += derived.metadataBytes;
    others = derived.marksAgainst;
    next = {
      content: {
        ...content,
        name: fields.name,
        status: fields.status,
        startedAt: fields.started_at,
        endedAt: fields.ended_at,
        sessionId: fields.session_id,
        userId: fields.user_id,
        environment: fields.environment,
        release: fields.release,
        facts: derived.input === undefined ? rowFacts : { ...rowFacts, preview: previewOf(derived.input) },
        tags,
      },
      derivation: derived.derivation,
      // Input and output are what they were, or what one of these spans has.
      edges: isTelemetry ? Math.max(facts.edges, 2 * Math.max(...sizes)) : facts.edges,
      joins: facts.derivation.isPure,
    };
  }

  const isTooLarge = bytes + next.edges + bytesOf(next.content.tags) > maxBytes;
  if (isTooLarge || next.content.tags.length > maxTags) return null;
  return {
    content: next.content,
    facts: { ...facts, bytes, edges: next.edges, exact: true, derivation: next.derivation },
    marks: marksOf(spans),
    marksAgainst: against.union(others),
    joins: next.joins,
  };
};

export const hasTooManySpans = ({ spanCount }: Content): boolean => spanCount > maxSpans;
