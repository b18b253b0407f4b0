import { isDeepStrictEqual } from "node:util";
import { namesIn, spanFactsOf } from "../../../domain/traces/facts.ts";
import { lateFactsOf } from "../../../domain/traces/late-facts.ts";
import { withPiece, type TracePiece } from "../../../domain/traces/piece.ts";
import { newerPrices, type PriceOf } from "../../../domain/traces/priced.ts";
import { rowOf } from "../../../domain/traces/row.ts";
import { again } from "../../attempts.ts";
import type { Database } from "../../database.ts";
import { traceDays } from "../days.ts";
import { projectNames } from "../facts/names.ts";
import { withState } from "../large-documents.ts";
import { pieceInStorage } from "../piece-in-storage.ts";
import { traceReader, type StoredTrace } from "../reader.ts";
import { roomForPieces } from "../room-for-pieces.ts";
import { untilFree } from "../until-free.ts";
import { traceWriter } from "../writer.ts";

type PricesPiece = Extract<TracePiece, { kind: "prices" }>;

/**
 * Stores what the models of traces cost by the list as it is now. The document gets a piece with the prices, the row the costs that
 * follow; neither what judges have seen changes by it, nor when the trace changed.
 */
export const repricing = (database: Database, priceOf: PriceOf, now: () => number = Date.now) => {
  const reader = traceReader(database, now);
  const writer = traceWriter(database, traceDays(database), now);
  const [room, names] = [roomForPieces(reader, writer), projectNames(database)];

  /**
   * @returns whether the trace costs something else than before; nothing is written when it does not.
   * @throws Refusal `unavailable` when too many writers change it at once.
   */
  return async (project: string, trace: string): Promise<boolean> => {
    let own: { readonly piece: PricesPiece; readonly stored: ReturnType<typeof pieceInStorage> } | null = null;

    const attempt = async (found: StoredTrace): Promise<boolean | typeof again> => {
      const { row, expiresAt } = found;
      // Its answer was lost, and the SDK has repeated it.
      if (own?.stored.isIn(row) === true) return true;
      const prices = newerPrices(found.trace.spans, priceOf);
      if (prices.length === 0) {
        await own?.stored.discard();
        return false;
      }
      if (!isDeepStrictEqual(own?.piece.prices, prices)) {
        await own?.stored.discard();
        const piece: PricesPiece = { kind: "prices", prices };
        own = { piece, stored: pieceInStorage(writer, project, piece) };
      }
      const mine = own;
      if (mine === null || !(await room(project, found, mine.stored))) return again;
      const repriced = withPiece(found.trace, mine.piece);
      const { pieces, ages } = await mine.stored.addedTo(found, false);
      const { facts, late } = row;
      const next = rowOf(repriced, {
        ...row,
        facts: facts && {
          ...facts,
          spans: spanFactsOf(repriced.spans, await names.numbers(project, namesIn(repriced.spans))),
        },
        version: row.version + 1,
        pieces,
        late: late && { ...late, facts: lateFactsOf(repriced, late.facts.keys), ages },
      });
      return (await writer.replaceRow(project, row, next, expiresAt)).held || again;
    };

    return await untilFree(() =>
      withState(reader, project, trace, async (state) => {
        if (state.kind === "stored") return await attempt(state);
        await own?.stored.discard();
        return false;
      }),
    );
  };
};
