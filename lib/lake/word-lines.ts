import { mapConcurrently } from "../async/concurrency.ts";
import type { Instant } from "../domain/instant.ts";
import { anyWord, indexedWords } from "../domain/traces/search/word-index.ts";
import type { Database } from "../dynamo/database.ts";
import { faultFields, logLine } from "../log.ts";
import type { PackedTrace } from "../store/traces/packed-trace.ts";
import { bodyReader, type Body } from "../store/traces/read-body.ts";
import { traceReader } from "../store/traces/reader.ts";
import { piecesOf } from "../store/traces/row-codec.ts";
import { traceOfPieces, unpackPieces } from "../store/traces/unpack-pieces.ts";
import { lineFile } from "./line-file.ts";

/** Bytes of JSON of the largest document whose words are read: a larger one may have any word. */
const maxDocumentBytes = 4 * 1024 * 1024;

/** Documents that are read at the same time, and traces after which the time is looked at. */
const [parallel, blockSize] = [16, 400];

/** Returns a function that writes the words of traces as lines. */
export const wordLines = (database: Database, now: () => number = Date.now) => {
  const [reader, readBody] = [traceReader(database, now), bodyReader(database)];

  /** Decodes a document. @returns null if parts are missing. */
  const decodedWords = async (row: PackedTrace, parts: Body["parts"]): Promise<readonly string[] | null> => {
    try {
      const texts = await unpackPieces(piecesOf(row, row.incarnation ?? ""), parts, maxDocumentBytes);
      if (texts === null) return null;
      return texts === "large" ? [anyWord] : indexedWords(traceOfPieces(texts));
    } catch (error) {
      // A search tells of the document, as it does without an index.
      logLine("document_unreadable", { trace_id: row.traceId, ...faultFields(error) });
      return [anyWord];
    }
  };

  const wordsOf = async (project: string, row: PackedTrace): Promise<readonly string[]> => {
    const body = await readBody(project, row.traceId, maxDocumentBytes);
    const words = body.isLarge ? [anyWord] : await decodedWords(row, body.parts);
    if (words !== null) return words;
    // Its pieces were merged since the row was read, or it has gone and left a mark.
    const state = await reader.readSmall(project, row.traceId, maxDocumentBytes);
    if (state.kind === "stored") return indexedWords(state.trace);
    return state.kind === "large" ? [anyWord] : [];
  };

  /**
   * @param traces rows with incarnations, in the order of their starts.
   * @param until epoch milliseconds after which no further traces are read, but those of the instant of the last.
   * @returns the start of the first trace that was not read; null if all were.
   */
  return async (project: string, traces: readonly PackedTrace[], until: number, path: string) => {
    const lines = lineFile(path);
    let next = 0;
    let last: Instant | undefined;
    try {
      while (next < traces.length && (now() < until || traces[next]?.startedAt === last)) {
        const block = traces.slice(next, next + blockSize);
        await mapConcurrently(block, parallel, async (row) => {
          lines.add({ started_at: row.startedAt, words: await wordsOf(project, row) });
        });
        next += block.length;
        last = block.at(-1)?.startedAt;
      }
    } finally {
      lines.close();
    }
    return traces[next]?.startedAt ?? null;
  };
};
