import { mapConcurrently } from "../../../async/concurrency.ts";
import { foldText } from "../../../domain/traces/search/folding.ts";
import { matchesOf, type TextMatch } from "../../../domain/traces/search/matches.ts";
import type { TextTerm } from "../../../domain/traces/search/text-query.ts";
import type { Database } from "../../../dynamo/database.ts";
import { faultFields, logLine } from "../../../log.ts";
import { partSort } from "../keys.ts";
import { maxSmallBytes, withLargeDocument, withTraceState } from "../large-documents.ts";
import type { PackedTrace } from "../packed-trace.ts";
import { bodyReader } from "../read-body.ts";
import { traceReader, type PointerSnapshot } from "../reader.ts";
import { traceOfPieces, unpackPieces } from "../unpack-pieces.ts";
import { piecesOf } from "../row-codec.ts";

/** Documents that one request searches at most. */
export const maxDocuments = 5_000;

/** Compressed bytes of documents after which a request reads no further one. */
const maxBytes = 64_000_000;

/** Pointers per request; requests at the same time; documents of each that are searched at the same time. */
const [batchSize, parallelBatches, parallelDocuments] = [100, 4, 8];

/** Outcome of one document: its matches, null without, or why it was not searched. */
type SearchOutcome = readonly TextMatch[] | null | "unread" | "unreadable";

/** Escapes of characters in JSON inside of a text, of any depth. */
const escapes = /(?<!\\)\\+u([0-9a-f]{4})/giu;

/** Returns the folding of a piece, which has every word of its texts; that of escaped characters stands behind it. */
const foldedPiece = (text: string): string => {
  if (!text.includes(String.raw`\u`)) return foldText(text);
  const unescaped = text.replaceAll(escapes, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return `${foldText(text)} ${foldText(unescaped)}`;
};

/**
 * Returns a function that begins searches of documents. Most documents lie in their pointers, of which one request reads a hundred; only
 * those that have all words somewhere are parsed.
 */
export const documentSearch = (database: Database, now: () => number = Date.now) => {
  const [reader, readBody] = [traceReader(database, now), bodyReader(database)];

  /** Begins a search in a project, which reads no further document after some milliseconds. */
  return (project: string, terms: readonly TextTerm[], milliseconds: number) => {
    const until = now() + milliseconds;
    let [documents, bytes, isBegun] = [0, 0, false];
    const isTooLong = (): boolean => bytes >= maxBytes;
    const isLate = (): boolean => now() >= until;
    const isSpent = (): boolean => documents >= maxDocuments || isTooLong() || isLate();

    const search = async (
      row: PackedTrace,
      snapshot: PointerSnapshot | undefined,
      isFirst: boolean,
    ): Promise<SearchOutcome> => {
      const [traceId, incarnation] = [row.traceId, row.incarnation ?? ""];
      const pieces = piecesOf(row, incarnation);
      const first = snapshot?.pointer.incarnation === incarnation ? snapshot.firstPart : null;
      const isWhole = first !== null && pieces.every(({ id, parts }) => id === incarnation && parts === 1);
      const searchUpTo = async (maxLength: number): Promise<SearchOutcome | "large" | "incomplete"> => {
        // Parts never change, and a missing one is noticed: a weak read suffices.
        const body = isWhole
          ? { parts: new Map([[partSort(incarnation, 0), first]]), isLarge: false }
          : await readBody(project, traceId, maxLength, false);
        bytes += body.parts.values().reduce((sum, part) => sum + part.length, 0);
        try {
          const texts = body.isLarge ? "large" : await unpackPieces(pieces, body.parts, maxLength);
          if (texts === null || texts === "large") return texts ?? "incomplete";
          const folded = texts.map((text) => foldedPiece(text.toString("utf8")));
          const hasWord = (word: string): boolean => folded.some((text) => text.includes(word));
          return terms.every(({ words }) => words.every(hasWord)) ? matchesOf(traceOfPieces(texts), terms) : null;
        } catch (error) {
          logLine("document_unreadable", { trace_id: traceId, ...faultFields(error) });
          return "unreadable";
        }
      };
      let outcome = await searchUpTo(maxSmallBytes);
      if (outcome === "large")
        outcome = await withLargeDocument(async () =>
          // It was counted among the documents when its search began.
          isFirst || !(isTooLong() || isLate()) ? await searchUpTo(Number.POSITIVE_INFINITY) : "unread",
        );
      if (outcome !== "incomplete" && outcome !== "large") return outcome;
      // Pieces were merged since the row was read.
      return await withTraceState(reader, project, traceId, async (state) =>
        state.kind === "stored" && state.row.incarnation === incarnation ? matchesOf(state.trace, terms) : null,
      );
    };

    return {
      /** True if no further document is read. */
      isSpent,
      /** True if the texts are too long for one request, however fast it is. */
      isTooLong,
      /** Returns the outcomes of rows with incarnations. The first one of all calls is searched even when no time is left, so that repeated requests end. */
      outcomes: async (rows: readonly PackedTrace[]): Promise<readonly SearchOutcome[]> => {
        const first = isBegun ? null : rows[0];
        isBegun = true;
        const starts = Array.from({ length: Math.ceil(rows.length / batchSize) }, (_, index) => index * batchSize);
        const batches = await mapConcurrently(starts, parallelBatches, async (start) => {
          const batch = rows.slice(start, start + batchSize);
          if (batch[0] !== first && isSpent()) return batch.map(() => "unread" as const);
          const ids = batch.map(({ traceId }) => traceId);
          const snapshots = await reader.pointerSnapshots(project, ids);
          return await mapConcurrently(batch, parallelDocuments, async (row) => {
            const isFirst = row === first;
            if (!isFirst && isSpent()) return "unread" as const;
            documents += 1;
            return await search(row, snapshots.get(row.traceId), isFirst);
          });
        });
        return batches.flat();
      },
    };
  };
};
