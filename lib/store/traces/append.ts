import { spanAddition, spansIn, type SpanAddition } from "../../domain/traces/append.ts";
import type { SpanPiece } from "../../domain/traces/piece.ts";
import { hasTooManySpans } from "../../domain/traces/check-limits.ts";
import type { NameNumbers } from "../../domain/traces/facts.ts";
import { tooManySpans } from "../../domain/traces/limits.ts";
import type { AppendState, TraceRow } from "../../domain/traces/row.ts";
import { otherSessionsOf } from "../../domain/traces/telemetry.ts";
import type { Span } from "../../domain/traces/trace.ts";
import { tryAgain, withRetries, throwUnavailable } from "../../dynamo/with-retries.ts";
import { rowCommitRetryPolicy } from "../../dynamo/retry-policies.ts";
import { pieceWriter } from "./pieces/piece-writer.ts";
import { spanIdReader, putFilter, deleteUnusedFilters } from "./span-id-filters.ts";
import type { StoredRow, TraceReader } from "./reader.ts";
import { isRedelivery } from "./redelivery.ts";
import type { RoomForPieces } from "./pieces/room-for-pieces.ts";
import type { TraceSnapshot } from "./trace-snapshots.ts";
import type { TraceWriter } from "./writer.ts";

/**
 * Outcome of adding spans without the trace's document: stored; `document` if the document has to be read; `unknown`
 * if in addition the row's append state is missing or incomplete.
 */
type AppendOutcome = "stored" | "document" | "unknown";

/** Adds spans to a trace without reading its document, if the trace has none of them yet. */
export const traceAppend = (
  reader: TraceReader,
  writer: TraceWriter,
  makeRoom: RoomForPieces,
  numbersOf: (project: string, spans: readonly Span[]) => Promise<NameNumbers>,
  now: () => number,
) => {
  /**
   * @param snapshot recent state of the trace; its row is read if the snapshot has none.
   * @throws Refusal `too-large` above 10,000 spans; `unavailable` when other writers win at every attempt.
   */
  return async (
    project: string,
    trace: string,
    piece: SpanPiece,
    keys: readonly string[],
    snapshot: TraceSnapshot,
  ): Promise<AppendOutcome> => {
    const { pointer, firstPart } = snapshot;
    const { incarnation } = pointer;
    let current = snapshot.storedRow ?? (await reader.rowAt(project, trace, pointer));
    if (await isRedelivery(current, firstPart, piece)) return "stored";
    const numbers = await numbersOf(project, spansIn(piece));
    const pieceWrite = pieceWriter(writer, project, piece);
    const filterReader = spanIdReader(reader, project, trace, firstPart);

    const commit = async (
      currentRow: StoredRow,
      appendState: AppendState,
      newSpans: SpanAddition,
      filterKeys: ReadonlySet<string>,
    ): Promise<TraceRow | "stored" | null> => {
      const { row, expiresAt } = currentRow;
      const { pieces, ages } = await pieceWrite.addedTo(currentRow, newSpans.isMergeable);
      const spanIdUpdate = filterReader.after(appendState.spanIds, filterKeys);
      await putFilter(writer, project, row, spanIdUpdate, expiresAt);
      const next: TraceRow = {
        ...newSpans.content,
        version: row.version + 1,
        contentVersion: row.version + 1,
        arrivedAt: row.arrivedAt,
        changedAt: now(),
        incarnation,
        pieces,
        appendState: { ...appendState, facts: newSpans.facts, spanIds: spanIdUpdate.spanIds, ages },
      };
      const others = otherSessionsOf(spansIn(piece), next.sessionId);
      // Spans of the session that an earlier span replaces are only in the document; a client moves all spans.
      const hasMoved = piece.kind === "telemetry" && row.sessionId !== next.sessionId;
      const previous = hasMoved ? [row.sessionId].filter((each) => each !== null) : [];
      await writer.mention(project, row.traceId, [...new Set([...others, ...previous])], expiresAt);
      const result = await writer.replaceRow(project, row, next, expiresAt);
      await deleteUnusedFilters(writer, project, trace, spanIdUpdate, result);
      return result.isCommitted ? "stored" : result.currentRow;
    };

    const outcome = await withRetries(
      rowCommitRetryPolicy,
      throwUnavailable("The trace is being changed by many requests. Try again."),
      async () => {
        current ??= await reader.locate(project, trace);
        if (current === null || current.row.incarnation !== incarnation) return "document";
        const { row } = current;
        if (pieceWrite.isIn(row)) return "stored";
        if (row.appendState === null) return "unknown";
        if (!row.appendState.spanIds.hasUsageKeys) return "document";
        const newSpans = spanAddition(row, row.appendState.facts, piece, numbers, keys);
        if (newSpans === null) return "document";
        const membership = await filterReader.check(row.appendState.spanIds, newSpans.lookupKeys);
        if (membership === "lost") {
          const latest = await reader.locate(project, trace);
          const isSame = latest?.row.version === row.version;
          current = latest;
          return isSame ? "unknown" : tryAgain;
        }
        const filterKeys = newSpans.filterKeys(membership);
        if (filterKeys === null) return "document";
        const addsRoot =
          row.appendState.facts.derivation?.tops === null && (newSpans.facts.derivation?.tops ?? null) !== null;
        if (hasTooManySpans(newSpans.content.spanCount, row.spanCount, addsRoot)) {
          await pieceWrite.discard();
          throw tooManySpans();
        }
        if (!(await makeRoom(project, current, pieceWrite))) {
          current = null;
          return tryAgain;
        }
        const result = await commit(current, row.appendState, newSpans, filterKeys);
        if (result === "stored") return result;
        current = result === null ? null : { row: result, expiresAt: current.expiresAt };
        return tryAgain;
      },
    );
    if (outcome !== "stored") await pieceWrite.discard();
    return outcome;
  };
};
