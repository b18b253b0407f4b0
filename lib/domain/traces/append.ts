import { sortedTags } from "../text.ts";
import { sharesCalls } from "./call-events.ts";
import { derivedChange } from "./derivation/derived-change.ts";
import { declaredValues, type DeclaredValue, addSpanFacts, type NameNumbers, previewOf } from "./facts.ts";
import { bytesOf, keysHash, type DocumentFacts } from "./document-facts.ts";
import { earlierError, firstErrorOf } from "./first-error.ts";
import type { JsonObject } from "../json.ts";
import type { IdentifiedTrace } from "./input.ts";
import { maxTraceBytes, maxTraceTags } from "./limits.ts";
import { mergeSpans } from "./merge.ts";
import type { SpanPiece } from "./piece.ts";
import { setFieldsOf, setStartOf } from "./parts/set-fields.ts";
import { mergeProvenance, provenanceOf } from "./provenance.ts";
import { spanRange, type RowFacts, type TraceRow } from "./row.ts";
import { addedKeys, lookupKeysOf } from "./span-filter-keys.ts";
import { addCosts, sumTokens, contributionsOf, isExact, addContributions, totalCost, totalTokens } from "./totals.ts";
import { isTelemetryKey } from "./telemetry.ts";
import type { Span } from "./trace.ts";

/** Fields of a trace row that depend on the document. */
type RowContent = Omit<
  TraceRow,
  "version" | "contentVersion" | "arrivedAt" | "changedAt" | "incarnation" | "pieces" | "appendState"
>;

/** The result of adding new spans to a trace without reading its document. */
export interface SpanAddition {
  readonly content: RowContent;
  readonly facts: DocumentFacts;
  /** Filter keys to look up in the trace, for `filterKeys`. */
  readonly lookupKeys: ReadonlySet<string>;
  /**
   * Returns the filter keys of the added spans; null if the document has to be read (see `addedKeys`).
   *
   * @param has true for those of `lookupKeys` that the trace may have.
   */
  readonly filterKeys: (has: (key: string) => boolean) => ReadonlySet<string> | null;
  /** True if the stored piece can later be merged with neighbouring pieces without reading the document. */
  readonly isMergeable: boolean;
}

/** Upper bound of the JSON bytes of field names that merging a re-sent trace adds to the document. */
const fieldNameBytes = 300;

const contentWith = (row: TraceRow, facts: RowFacts, spans: readonly Span[]): RowContent => {
  const addedContributions = contributionsOf(spans);
  const contributions = row.contributions === null ? null : addContributions(row.contributions, addedContributions);
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
    ending: row.ending,
    spanCount: row.spanCount + spans.length,
    firstSpanAt: isEarlier ? range.firstSpanAt : row.firstSpanAt,
    lastSpanAt: isLater ? range.lastSpanAt : row.lastSpanAt,
    totalTokens:
      contributions === null
        ? sumTokens([row.totalTokens, totalTokens(addedContributions)])
        : totalTokens(contributions),
    totalCost:
      contributions === null ? addCosts([row.totalCost, totalCost(addedContributions)]) : totalCost(contributions),
    contributions,
    facts,
  };
};

const rowFactsWith = (
  before: RowFacts,
  piece: SpanPiece,
  spans: readonly Span[],
  numbers: NameNumbers,
  keys: readonly string[],
): RowFacts => {
  const metadata = piece.kind === "spans" ? {} : (piece.trace.metadata ?? {});
  const sentPreviewInput = piece.kind === "trace" ? (piece.trace.input ?? null) : null;
  return {
    spans: addSpanFacts(before.spans, spans, numbers),
    preview: sentPreviewInput === null ? before.preview : previewOf(sentPreviewInput),
    metadata: keys.flatMap((key) =>
      Object.hasOwn(metadata, key)
        ? declaredValues(metadata, [key])
        : before.metadata.filter((value) => value.key === key),
    ),
    provenance: mergeProvenance(before.provenance, provenanceOf([{ metadata }, ...spans])),
    firstError: earlierError(before.firstError, firstErrorOf(spans)),
  };
};

/** True if spans would change a declared metadata value: only the document shows whether a client has set it. */
const changesDeclaredValues = (
  before: readonly DeclaredValue[],
  sentMetadata: JsonObject,
  keys: readonly string[],
): boolean =>
  declaredValues(sentMetadata, keys).some(
    ({ key, value }) => !isTelemetryKey(key) && before.find((each) => each.key === key)?.value !== value,
  );

const withTraceFields = (content: RowContent, input: IdentifiedTrace): RowContent => ({
  ...content,
  name: input.name,
  status: input.status ?? content.status,
  startedAt: input.started_at,
  endedAt: input.ended_at ?? content.endedAt,
  sessionId: input.session_id ?? content.sessionId,
  userId: input.user_id ?? content.userId,
  environment: input.environment ?? content.environment,
  release: input.release ?? content.release,
});

/** Returns the spans of a document piece; repeated spans are merged. */
export const spansIn = (piece: SpanPiece): readonly Span[] =>
  mergeSpans([], (piece.kind === "spans" ? piece.spans : piece.trace.spans) ?? []);

/**
 * Computes the row of a trace after a document piece is added, without reading the document. If `filterKeys` are not
 * null, the result equals that of `applyPiece`, except that `bytes` is an upper bound.
 *
 * @param numbers numbers of the model and tool names in the spans.
 * @param keys metadata keys that the project has declared.
 * @returns null if the row has too little information, or if the trace may exceed a limit.
 */
export const spanAddition = (
  row: TraceRow,
  facts: DocumentFacts,
  piece: SpanPiece,
  numbers: NameNumbers,
  keys: readonly string[],
): SpanAddition | null => {
  const spans = spansIn(piece);
  if (row.facts === null || facts.keys !== keysHash(keys) || spans.some(sharesCalls)) return null;
  const rowFacts = rowFactsWith(row.facts, piece, spans, numbers, keys);
  const content = contentWith(row, rowFacts, spans);
  const totals = { totalTokens: content.totalTokens, totalCost: content.totalCost };
  // A trace that ended by silence, or awaits it, has other fields with more spans.
  if (row.ending !== null && facts.derivation === null) return null;
  if (spans.length === 0 || !facts.isExact || !isExact(spans, content.contributions ?? [], totals)) return null;

  const sizes = spans.map(bytesOf);
  // JSON separates spans by commas.
  let bytes = facts.bytes + sizes.reduce((sum, size) => sum + size + 1, 0) - (row.spanCount === 0 ? 1 : 0);
  let next: Pick<SpanAddition, "content" | "isMergeable"> & Pick<DocumentFacts, "inputOutputBytes" | "derivation"> = {
    content,
    inputOutputBytes: facts.inputOutputBytes,
    derivation: null,
    isMergeable: true,
  };
  let derivedConflicts: ReadonlySet<string> = new Set();

  if (piece.kind === "trace") {
    if (facts.derivation !== null) return null;
    const tags = sortedTags([...row.tags, ...(piece.trace.tags ?? [])]);
    bytes += bytesOf({ ...piece.trace, spans: [], tags: [] }) + fieldNameBytes;
    next = { ...next, content: { ...withTraceFields(content, piece.trace), tags } };
  } else if (piece.kind === "telemetry" || facts.derivation !== null) {
    const isTelemetry = piece.kind === "telemetry";
    if (facts.derivation === null) return null;
    const sentMetadata = isTelemetry ? (piece.trace.metadata ?? {}) : {};
    if (setFieldsOf(sentMetadata).size > 0 || setStartOf(sentMetadata) !== null) return null;
    if (changesDeclaredValues(row.facts.metadata, sentMetadata, keys)) return null;
    const derived = derivedChange(row, facts.derivation, spans, sentMetadata, isTelemetry);
    if (derived === null) return null;
    // Only the document shows whether a failed step was the last one.
    if (derived.derivation.tops?.hasInconclusive === true && rowFacts.spans.errors > 0) return null;
    const { fields } = derived;
    const tags = isTelemetry ? sortedTags([...row.tags, ...(piece.trace.tags ?? [])]).slice(0, maxTraceTags) : row.tags;
    bytes += derived.metadataBytes;
    derivedConflicts = derived.conflictingKeys;
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
        ending: derived.isAwaited ? "awaited" : null,
        facts: derived.input === undefined ? rowFacts : { ...rowFacts, preview: previewOf(derived.input) },
        tags,
      },
      derivation: derived.derivation,
      // Input and output either stay unchanged or come from an added span.
      inputOutputBytes: isTelemetry ? Math.max(facts.inputOutputBytes, 2 * Math.max(...sizes)) : facts.inputOutputBytes,
      isMergeable: facts.derivation.isPure,
    };
  }

  const isTooLarge = bytes + next.inputOutputBytes + bytesOf(next.content.tags) > maxTraceBytes;
  if (isTooLarge || next.content.tags.length > maxTraceTags) return null;
  return {
    content: next.content,
    facts: { ...facts, bytes, inputOutputBytes: next.inputOutputBytes, isExact: true, derivation: next.derivation },
    lookupKeys: lookupKeysOf(spans).union(derivedConflicts),
    filterKeys: (has) => (derivedConflicts.values().some(has) ? null : addedKeys(spans, has)),
    isMergeable: next.isMergeable,
  };
};
