import { mapConcurrently } from "../../async/concurrency.ts";
import type { Instant } from "../../domain/instant.ts";
import type { documentTables } from "../../domain/lake/tables.ts";
import { anyWord, indexedWords } from "../../domain/traces/search/word-index.ts";
import { shownTrace } from "../../domain/traces/times.ts";
import type { Trace } from "../../domain/traces/trace.ts";
import type { Database } from "../../dynamo/database.ts";
import { faultFields, logLine } from "../../log.ts";
import { withLargeDocument } from "../../store/traces/large-documents.ts";
import type { PackedTrace } from "../../store/traces/packed-trace.ts";
import { bodyReader, type Body } from "../../store/traces/read-body.ts";
import { traceReader } from "../../store/traces/reader.ts";
import { piecesOf } from "../../store/traces/row-codec.ts";
import { traceOfPieces, unpackPieces } from "../../store/traces/unpack-pieces.ts";
import { lineFile } from "../line-file.ts";
import { lakeSpanRows } from "./span-row.ts";

/** Bytes of JSON of the largest document that is read beside others. */
const maxDocumentBytes = 4 * 1024 * 1024;

/** Documents that are read at the same time, and traces after which time and size are looked at. */
const [parallel, blockSize] = [16, 100];

/** UTF-16 units of lines after which no further traces are read. */
const maxSize = 1e9;

/** A document as it is read; `large` above 4 MB, `unreadable` in an unknown format. */
type Document = Trace | "large" | "unreadable";

/** Returns the rows of a trace by table. */
type RowsOf = (project: string, row: PackedTrace, document: Document) => Promise<Iterable<object>>;

/** Returns a function that writes what the documents of traces become as lines. */
export const documentLines = (
  database: Database,
  table: (typeof documentTables)[number],
  now: () => number = Date.now,
) => {
  const [reader, readBody] = [traceReader(database, now), bodyReader(database)];

  /** Decodes a document. @returns null if parts are missing. */
  const decoded = async (row: PackedTrace, parts: Body["parts"]): Promise<Document | null> => {
    try {
      const texts = await unpackPieces(piecesOf(row, row.incarnation ?? ""), parts, maxDocumentBytes);
      return texts === null || texts === "large" ? texts : shownTrace(traceOfPieces(texts), row.ending);
    } catch (error) {
      logLine("document_unreadable", { trace_id: row.traceId, ...faultFields(error) });
      return "unreadable";
    }
  };

  /** Reads the document of a row; null if the trace has gone. */
  const documentOf = async (project: string, row: PackedTrace): Promise<Document | null> => {
    const body = await readBody(project, row.traceId, maxDocumentBytes);
    const document = body.isLarge ? "large" : await decoded(row, body.parts);
    if (document !== null) return document;
    // Its pieces were merged since the row was read, or it has gone and left a mark.
    const state = await reader.readSmall(project, row.traceId, maxDocumentBytes);
    if (state.kind === "stored") return state.trace;
    return state.kind === "large" ? "large" : null;
  };

  const rowsOf: Readonly<Record<typeof table, RowsOf>> = {
    // A document that is not read may have any word: a search tells of it, as it does without an index.
    words: async (_, { startedAt }, document) => [
      { started_at: startedAt, words: typeof document === "string" ? [anyWord] : indexedWords(document) },
    ],
    spans: async (project, { traceId }, document) => {
      if (typeof document === "object") return lakeSpanRows(document);
      // An export counts its rows, and says that they are missing.
      if (document === "unreadable") return [];
      return await withLargeDocument(async () => {
        const state = await reader.read(project, traceId);
        return state.kind === "stored" ? lakeSpanRows(state.trace) : [];
      });
    },
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
    const isFull = (): boolean => now() >= until || lines.size() >= maxSize;
    try {
      while (next < traces.length && (!isFull() || traces[next]?.startedAt === last)) {
        const block = traces.slice(next, next + blockSize);
        await mapConcurrently(block, parallel, async (row) => {
          const document = await documentOf(project, row);
          if (document === null) return;
          for (const each of await rowsOf[table](project, row, document)) lines.add(each);
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
