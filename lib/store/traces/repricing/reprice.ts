import { isDeepStrictEqual } from "node:util";
import { namesIn, spanFactsOf } from "../../../domain/traces/facts.ts";
import { documentFactsOf } from "../../../domain/traces/document-facts.ts";
import { applyPiece, type TracePiece } from "../../../domain/traces/piece.ts";
import { newerPrices, type PriceOf } from "../../../domain/traces/span-cost.ts";
import { rowOf } from "../../../domain/traces/row.ts";
import { tryAgain } from "../../../dynamo/with-retries.ts";
import type { Database } from "../../../dynamo/database.ts";
import { traceDays } from "../days.ts";
import { projectNames } from "../facts/names.ts";
import { withTraceState } from "../large-documents.ts";
import { pieceWriter } from "../pieces/piece-writer.ts";
import { shownTrace } from "../../../domain/traces/times.ts";
import { traceReader, type StoredTrace } from "../reader.ts";
import { roomForPieces } from "../pieces/room-for-pieces.ts";
import { retryUntilUnlocked } from "../retry-until-unlocked.ts";
import { traceWriter } from "../writer.ts";

type PricesPiece = Extract<TracePiece, { kind: "prices" }>;

/**
 * Returns a function that applies the current price list to a trace. The document gets a piece with the prices, and
 * the row the resulting costs; the trace's time of change and the version that judges compare stay the same.
 */
export const repricing = (database: Database, priceOf: PriceOf, now: () => number = Date.now) => {
  const reader = traceReader(database, now);
  const writer = traceWriter(database, traceDays(database), now);
  const [makeRoom, names] = [roomForPieces(reader, writer), projectNames(database)];

  /**
   * @returns false when the trace's cost is unchanged: nothing is written then.
   * @throws Refusal `unavailable` when too many writers change the trace at once.
   */
  return async (project: string, trace: string): Promise<boolean> => {
    let pendingPiece: { readonly piece: PricesPiece; readonly writer: ReturnType<typeof pieceWriter> } | null = null;

    const attempt = async (storedTrace: StoredTrace): Promise<boolean | typeof tryAgain> => {
      const { row, expiresAt } = storedTrace;
      // The commit's response was lost, and the SDK repeated the request.
      if (pendingPiece?.writer.isIn(row) === true) return true;
      const prices = newerPrices(storedTrace.trace.spans, priceOf);
      if (prices.length === 0) {
        await pendingPiece?.writer.discard();
        return false;
      }
      if (!isDeepStrictEqual(pendingPiece?.piece.prices, prices)) {
        await pendingPiece?.writer.discard();
        const piece: PricesPiece = { kind: "prices", prices };
        pendingPiece = { piece, writer: pieceWriter(writer, project, piece) };
      }
      const currentPiece = pendingPiece;
      if (currentPiece === null || !(await makeRoom(project, storedTrace, currentPiece.writer))) return tryAgain;
      const document = applyPiece(storedTrace.document, currentPiece.piece);
      const repriced = shownTrace(document, row.ending);
      const { pieces, ages } = await currentPiece.writer.addedTo(storedTrace, false);
      const { facts, appendState } = row;
      const next = rowOf(repriced, {
        ...row,
        facts: facts && {
          ...facts,
          spans: spanFactsOf(repriced.spans, await names.numbers(project, namesIn(repriced.spans))),
        },
        version: row.version + 1,
        pieces,
        appendState: appendState && { ...appendState, facts: documentFactsOf(document, appendState.facts.keys), ages },
      });
      return (await writer.replaceRow(project, row, next, expiresAt)).isCommitted || tryAgain;
    };

    return await retryUntilUnlocked(() =>
      withTraceState(reader, project, trace, async (state) => {
        if (state.kind === "stored") return await attempt(state);
        await pendingPiece?.writer.discard();
        return false;
      }),
    );
  };
};
