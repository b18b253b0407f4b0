import { isDeepStrictEqual } from "node:util";
import { setTimeout as wait } from "node:timers/promises";
import { mergeTrace, type IdentifiedTrace } from "../domain/merge-trace.ts";
import { Refusal } from "../domain/refusal.ts";
import { rowOf, type Segment, type TraceRow } from "../domain/trace-row.ts";
import type { Trace } from "../domain/trace.ts";
import { encodeParts } from "./body-codec.ts";
import type { Database } from "./database.ts";
import { traceDays } from "./trace-days.ts";
import { traceReader, type Pointer, type StoredTrace } from "./trace-reader.ts";
import { shortId, traceWriter } from "./trace-writer.ts";

const maxSpans = 10_000;
const maxBytes = 32 * 1024 * 1024;

/** Pieces a document may lie in before a writer folds them into one. */
const maxSegments = 32;

/** Writers that meet on one trace take turns; far more turns than ever seen. */
const maxAttempts = 40;

export interface Traces {
  /**
   * Stores a trace, or merges it into the one that is there. Durable and strongly readable when it returns; a repeated
   * delivery writes nothing.
   *
   * @throws Refusal `too-large` above 10,000 spans or 32 MiB; `unavailable` when too many writers change it at once.
   */
  save(project: string, sent: IdentifiedTrace): Promise<void>;
}

const checkSize = (trace: Trace): void => {
  const detail =
    trace.spans.length > maxSpans
      ? `A trace has at most ${maxSpans} spans.`
      : Buffer.byteLength(JSON.stringify(trace)) > maxBytes
        ? "A trace has at most 32 MiB."
        : null;
  if (detail !== null) throw new Refusal({ kind: "too-large", detail });
};

/** A document as it is stored: what is null says nothing, to a reader who merges. */
const withoutNulls = (document: Trace | IdentifiedTrace): object => {
  const present = (value: object): object =>
    Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null && field !== undefined));
  return present({ ...document, spans: document.spans?.map(present) });
};

/** @param retentionDays whole UTC days a trace is kept after its arrival; 0 keeps it. */
export const traceStore = (database: Database, retentionDays: number, now: () => number = Date.now): Traces => {
  const reader = traceReader(database, now);
  const writer = traceWriter(database, traceDays(database), now);

  const expiryOf = (arrivedAt: number): number | null =>
    retentionDays === 0 ? null : (Math.floor(arrivedAt / 86_400_000) + 1 + retentionDays) * 86_400;

  /**
   * Whether a trace has a piece after its commit was refused: the SDK repeats a request whose answer was lost, and what
   * the first one wrote refuses the second.
   */
  const has = async (project: string, trace: string, piece: Segment): Promise<boolean> => {
    const state = await reader.read(project, trace);
    return state.kind === "stored" && state.row.segments.some(({ id }) => id === piece.id);
  };

  const insert = async (project: string, trace: Trace, held: Pointer | null): Promise<boolean> => {
    const [arrivedAt, incarnation, id] = [now(), shortId(), trace.trace_id];
    const expiresAt = expiryOf(arrivedAt);
    const [firstPart = Buffer.of(), ...others] = await encodeParts(withoutNulls(trace));
    const mine = { pointer: { startedAt: trace.started_at, incarnation }, firstPart, expiresAt };
    const claimed =
      held === null ? await writer.claim(project, id, mine) : await writer.takeOver(project, id, held, mine);
    if (!claimed) return false;
    await writer.putParts(project, id, incarnation, incarnation, others, 1, expiresAt);
    const segment = { id: incarnation, parts: 1 + others.length };
    const stored = { version: 1, arrivedAt, changedAt: arrivedAt, incarnation, segments: [segment] };
    if (await writer.insertRow(project, rowOf(trace, stored), expiresAt)) return true;
    if (await has(project, id, segment)) return true;
    await writer.deleteSegment(project, id, incarnation, segment);
    return false;
  };

  const merge = async (project: string, before: StoredTrace, sent: IdentifiedTrace): Promise<boolean> => {
    const trace = mergeTrace(before.trace, sent);
    if (isDeepStrictEqual(trace, before.trace)) return true;
    checkSize(trace);
    const { row, expiresAt } = before;
    const folds = row.segments.length >= maxSegments;
    const parts = await encodeParts(withoutNulls(folds ? trace : sent));
    const segment: Segment = { id: shortId(), parts: parts.length };
    await writer.putParts(project, row.traceId, row.incarnation, segment.id, parts, 0, expiresAt);
    const next: TraceRow = rowOf(trace, {
      version: row.version + 1,
      arrivedAt: row.arrivedAt,
      changedAt: now(),
      incarnation: row.incarnation,
      segments: folds ? [segment] : [...row.segments, segment],
    });
    const committed =
      (await writer.replaceRow(project, row, next, expiresAt)) || (await has(project, row.traceId, segment));
    const dropped: readonly Segment[] = committed ? (folds ? row.segments : []) : [segment];
    for (const piece of dropped) await writer.deleteSegment(project, row.traceId, row.incarnation, piece);
    return committed;
  };

  return {
    save: async (project, sent) => {
      const fresh = mergeTrace(null, sent);
      checkSize(fresh);
      // A claim that fails costs as much as one that succeeds: a glance, half a read unit, spares most of those.
      if (!(await reader.isKnown(project, sent.trace_id)) && (await insert(project, fresh, null))) return;
      for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
        const state = await reader.read(project, sent.trace_id);
        const done =
          state.kind === "stored"
            ? await merge(project, state, sent)
            : await insert(project, fresh, state.kind === "uncommitted" ? state.pointer : null);
        if (done) return;
        await wait(Math.random() * Math.min(400, 10 * 2 ** attempt));
      }
      throw new Refusal({ kind: "unavailable", detail: "The trace is being changed by many requests. Try again." });
    },
  };
};
