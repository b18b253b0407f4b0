import { semaphore } from "../../async/concurrency.ts";
import type { StoredTrace, TraceReader, TraceState } from "./reader.ts";

/** Bytes of JSON up to which documents are read concurrently: dozens of them take little memory. */
export const maxSmallBytes = 1024 * 1024;

/**
 * Runs work on large documents, one at a time in this process: a document may have 32 MiB, and processing takes four
 * times as much memory. The work must not call this function again.
 */
export const withLargeDocument = semaphore(1);

/** Reads the state of a trace and runs `work` with it; a large document waits for its turn in `withLargeDocument`. */
export const withTraceState = async <Result>(
  reader: Pick<TraceReader, "read" | "readSmall">,
  project: string,
  trace: string,
  work: (state: TraceState) => Promise<Result>,
): Promise<Result> => {
  const state = await reader.readSmall(project, trace, maxSmallBytes);
  return state.kind === "large"
    ? await withLargeDocument(async () => await work(await reader.read(project, trace)))
    : await work(state);
};

/**
 * Reads a trace unless its document is large.
 *
 * @returns null for a large document, to be read within `withLargeDocument`; `stored` is null when there is no such
 *   trace.
 */
export const readIfSmall = async (
  reader: Pick<TraceReader, "readSmall">,
  project: string,
  trace: string,
): Promise<{ readonly stored: StoredTrace | null } | null> => {
  const state = await reader.readSmall(project, trace, maxSmallBytes);
  return state.kind === "large" ? null : { stored: state.kind === "stored" ? state : null };
};
