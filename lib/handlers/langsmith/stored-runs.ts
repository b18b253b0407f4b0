import { semaphore } from "../../async/concurrency.ts";
import { bytesOf } from "../../domain/traces/document-facts.ts";
import { maxTraceBytes } from "../../domain/traces/limits.ts";
import type { Span } from "../../domain/traces/trace.ts";
import type { TraceReader } from "../../store/traces/reader.ts";

/** Maximum number of traces that a request looks up to place its runs; the runs of the SDKs tell their places. */
export const maxLookups = 20;

/** Result of a lookup beyond the limits of a request. */
export const notRead = Symbol("not read");

/** Result of a lookup in a trace that was deleted in the last 24 hours. */
export const wasDeleted = Symbol("was deleted");

/**
 * Returns lookups of stored traces for one request. Together they read at most `maxLookups` traces, and at most `maxTraceBytes` of
 * documents, one after the other: a request of a kilobyte can name many traces of 32 MiB.
 */
export const storedRuns = (reader: Pick<TraceReader, "locate" | "readSmall">) => {
  const inTurn = semaphore(1);
  let [lookups, bytesLeft] = [0, maxTraceBytes];

  const lookUp = <Result>(read: () => Promise<Result>): Promise<Result | typeof notRead> =>
    inTurn(async () => {
      lookups += 1;
      return lookups > maxLookups ? notRead : await read();
    });

  return {
    /** Reads whether a trace exists, without its document. */
    hasTrace: (project: string, trace: string) => lookUp(async () => (await reader.locate(project, trace)) !== null),
    /** Reads the spans of a trace that have certain ids; none without such a trace. */
    spansOf: (project: string, trace: string, ids: ReadonlySet<string>) =>
      lookUp(async (): Promise<ReadonlyMap<string, Span> | typeof notRead | typeof wasDeleted> => {
        const state = await reader.readSmall(project, trace, bytesLeft);
        if (state.kind === "large") {
          bytesLeft = 0;
          return notRead;
        }
        if (state.kind === "deleted" && state.rejects !== "nothing") return wasDeleted;
        if (state.kind !== "stored") return new Map();
        // Input and output of a trace repeat those of its root.
        bytesLeft -= bytesOf(state.trace.spans);
        return new Map(
          state.trace.spans.flatMap((span) => (ids.has(span.span_id) ? [[span.span_id, span] as const] : [])),
        );
      }),
  };
};

export type StoredRuns = ReturnType<typeof storedRuns>;
