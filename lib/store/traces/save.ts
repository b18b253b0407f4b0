import { isDeepStrictEqual } from "node:util";
import { traceDeleted } from "../../domain/traces/deleted-trace.ts";
import { traceExpiry } from "../../domain/retention.ts";
import { mergeTrace } from "../../domain/traces/merge.ts";
import { wholeTier } from "../../domain/traces/piece.ts";
import { noPrices, pricedSpans, pricedTrace, pricedUpdate, type PriceOf } from "../../domain/traces/span-cost.ts";
import type { IdentifiedSpan, IdentifiedTrace } from "../../domain/traces/input.ts";
import { namesIn } from "../../domain/traces/facts.ts";
import { keysHash, documentFactsOf } from "../../domain/traces/document-facts.ts";
import { checkTraceLimits } from "../../domain/traces/check-limits.ts";
import type { TracePiece } from "../../domain/traces/piece.ts";
import { otherSessionsOf } from "../../domain/traces/telemetry.ts";
import { rowFactsOf, rowOf, type RowFacts } from "../../domain/traces/row.ts";
import { noIdempotency, type IdempotencyCheck } from "../../domain/idempotency-check.ts";
import type { Span, Trace } from "../../domain/traces/trace.ts";
import { tryAgain } from "../../dynamo/with-retries.ts";
import { encodeParts, firstPartSize } from "../documents/body-codec.ts";
import type { Database } from "../../dynamo/database.ts";
import { traceAppend } from "./append.ts";
import { traceCommit } from "./commit.ts";
import { traceDays } from "./days.ts";
import { projectNames } from "./facts/names.ts";
import { pieceToStore } from "../documents/pieces.ts";
import { spanIdsOfTrace, putFilter, deleteUnusedFilters } from "./span-id-filters.ts";
import { withTraceState } from "./large-documents.ts";
import type { Pointer } from "./read-body.ts";
import { traceReader, type HeldState, type TraceState } from "./reader.ts";
import { roomForPieces } from "./pieces/room-for-pieces.ts";
import { readTraceSnapshots, type TraceSnapshot } from "./trace-snapshots.ts";
import { traceWriter } from "./writer.ts";
import { retryUntilUnlocked } from "./retry-until-unlocked.ts";

type PatchPiece = Extract<TracePiece, { kind: "trace-patch" | "span-patch" }>;

/** Store of traces: saves, adds spans and patches. */
export interface Traces {
  /**
   * Stores a trace, or merges it into the stored one with its id. Durable and strongly readable on return; a repeated
   * delivery writes nothing.
   *
   * @param kind merge rules: the fields of `telemetry` are derived from its spans.
   * @param keys metadata keys that the project has declared.
   * @throws Refusal `too-large` above 10,000 spans or 32 MiB, or if the request has unpacked too many traces; `invalid` above 100 tags;
   *   `unavailable` when too many writers change the trace at once; `not-found` for telemetry of a trace that was deleted in the last 24 hours, and for
   *   any trace with the id of one that was erased with its user in that time.
   */
  save(project: string, trace: IdentifiedTrace, kind?: "trace" | "telemetry", keys?: readonly string[]): Promise<void>;
  /**
   * Stores a trace under an id generated for it just now: no existing trace is looked up.
   *
   * @throws the refusals of `save`.
   */
  saveNew(project: string, trace: IdentifiedTrace, keys?: readonly string[]): Promise<void>;
  /**
   * Stores a trace whose id is derived from an idempotency key: at most once; a trace that an earlier request with the
   * key stored is not changed.
   *
   * @throws the refusals of `save`, and `invalid` when the key was used with another body.
   */
  saveIdempotent(
    project: string,
    trace: IdentifiedTrace,
    idempotency: IdempotencyCheck,
    keys?: readonly string[],
  ): Promise<void>;
  /** Reads snapshots of many traces. @returns snapshots by trace id, possibly seconds old; unknown ids are omitted. */
  snapshots(project: string, traces: readonly string[]): Promise<ReadonlyMap<string, TraceSnapshot>>;
  /**
   * Saves telemetry of a trace, given its snapshot.
   *
   * @param snapshot result of `snapshots` for the trace; null if it had none.
   * @throws the refusals of `save`.
   */
  saveKnown(
    project: string,
    trace: IdentifiedTrace,
    snapshot: TraceSnapshot | null,
    keys?: readonly string[],
  ): Promise<void>;
  /**
   * Adds spans to a stored trace, or merges them into spans with the same ids. Durable on return; the cost of adding
   * new spans does not depend on the size of the trace.
   *
   * @returns false when there is no such trace.
   * @throws the refusals of `save`, as for telemetry.
   */
  addSpans(
    project: string,
    trace: string,
    spans: readonly IdentifiedSpan[],
    keys?: readonly string[],
  ): Promise<boolean>;
  /**
   * Patches a stored trace. Durable on return; a patch without effect writes nothing.
   *
   * @returns the patched trace; null when there is none.
   * @throws the refusals of `save`, as for telemetry.
   */
  change(project: string, trace: string, patch: PatchPiece, keys?: readonly string[]): Promise<Trace | null>;
}

/**
 * Number of reads of an unchanged, uncommitted claim after which it counts as abandoned. Each makes as many requests
 * as the claim's owner has writes left, so an owner who is alive has committed by then, even on a slow machine.
 * Taking over at the first read would set owners back again and again, and of many competing writers none would
 * commit.
 */
const readsBeforeTakeover = 4;

/** Detects an abandoned claim of a trace id, by the number of times it was read uncommitted. */
const abandonedClaimDetector = () => {
  let lastClaim: Pointer | null = null;
  let unchangedReads = 0;
  return (claim: Pointer): boolean => {
    unchangedReads = isDeepStrictEqual(lastClaim, claim) ? unchangedReads + 1 : 1;
    lastClaim = claim;
    return unchangedReads >= readsBeforeTakeover;
  };
};

/**
 * Throws the refusal of telemetry and changes if the trace was deleted in the last 24 hours; that of a request which may begin a new
 * incarnation only if it was erased with its user.
 */
const refuseDeleted = (state: TraceState, mayRevive = false): void => {
  if (state.kind !== "deleted" || state.rejects === "nothing") return;
  if (!mayRevive || state.rejects === "everything") throw traceDeleted();
};

/** How a trace is inserted. */
interface InsertOptions {
  /** Abandoned claim or deleted trace whose pointer is taken over; null if the id is not claimed. */
  readonly heldState: HeldState | null;
  /** True for an explicit request, which may begin a new incarnation of a trace in the 24 hours after its deletion. */
  readonly mayRevive: boolean;
  readonly idempotency?: IdempotencyCheck;
}

/**
 * Store of traces.
 *
 * @param retentionDays whole UTC days that a trace is kept after its arrival; 0 keeps it forever.
 * @param priceOf price of a model, for spans without a cost of their own.
 */
export const traceStore = (
  database: Database,
  retentionDays: number,
  now: () => number = Date.now,
  priceOf: PriceOf = noPrices,
): Traces => {
  const reader = traceReader(database, now);
  const writer = traceWriter(database, traceDays(database), now);
  const makeRoom = roomForPieces(reader, writer);
  const names = projectNames(database);
  const factsOf = async (project: string, trace: Trace, keys: readonly string[]): Promise<RowFacts> =>
    rowFactsOf(trace, await names.numbers(project, namesIn(trace.spans)), keys);
  const { change, isCommitted } = traceCommit(reader, writer, makeRoom, factsOf, now);
  const numbersOf = (project: string, spans: readonly Span[]) => names.numbers(project, namesIn(spans));
  const append = traceAppend(reader, writer, makeRoom, numbersOf, now);

  const insert = async (
    project: string,
    trace: Trace,
    keys: readonly string[],
    { heldState, mayRevive, idempotency = noIdempotency }: InsertOptions,
  ): Promise<boolean> => {
    const facts = await factsOf(project, trace, keys);
    const [arrivedAt, id] = [now(), trace.trace_id];
    const incarnation = await writer.newIncarnation(project, trace.started_at, heldState?.pointer);
    if (incarnation === null) return false;
    const expiresAt = traceExpiry(retentionDays, arrivedAt);
    const parts = await encodeParts(pieceToStore({ kind: "trace", trace }), firstPartSize);
    const [firstPart = Buffer.of(), ...laterParts] = parts;
    const pointer = { startedAt: trace.started_at, incarnation };
    const claim = { pointer, firstPart, expiresAt, mayRevive, idempotency };
    const isClaimed =
      heldState === null
        ? await writer.claim(project, id, claim)
        : await writer.takeOver(project, id, heldState, claim);
    if (!isClaimed) return false;
    const spanIdUpdate = spanIdsOfTrace(trace, laterParts.length === 0);
    await Promise.all([
      writer.putParts(project, id, incarnation, incarnation, laterParts, 1, expiresAt),
      putFilter(writer, project, { traceId: id, incarnation }, spanIdUpdate, expiresAt),
    ]);
    const location = { id: incarnation, parts: parts.length };
    const ages = [{ tier: wholeTier, isMergeable: false }];
    const appendState = {
      mergedAt: 1,
      facts: documentFactsOf(trace, keysHash(keys)),
      spanIds: spanIdUpdate.spanIds,
      ages,
    };
    const versions = { version: 1, contentVersion: 1 };
    const rowState = {
      facts,
      ...versions,
      arrivedAt,
      changedAt: arrivedAt,
      incarnation,
      pieces: [location],
      appendState,
    };
    await writer.mention(project, id, otherSessionsOf(trace.spans, trace.session_id), expiresAt);
    if (await writer.insertRow(project, rowOf(trace, rowState), expiresAt)) return true;
    if (await isCommitted(project, id, location)) return true;
    await writer.deletePiece(project, id, incarnation, location);
    await deleteUnusedFilters(writer, project, id, spanIdUpdate, {
      isCommitted: false,
      currentRow: rowOf(trace, { ...rowState, appendState: null }),
    });
    return false;
  };

  const store = async (
    project: string,
    traceInput: IdentifiedTrace,
    kind: "trace" | "telemetry",
    keys: readonly string[],
    snapshot: TraceSnapshot | null,
  ): Promise<void> => {
    const trace = pricedTrace(traceInput, priceOf);
    const newTrace = mergeTrace(null, trace);
    checkTraceLimits(newTrace);
    const mayRevive = kind === "trace";
    if (snapshot === null && (await insert(project, newTrace, keys, { heldState: null, mayRevive }))) return;
    const piece = { kind, trace };
    const outcome = snapshot === null ? "document" : await append(project, trace.trace_id, piece, keys, snapshot);
    if (outcome === "stored") return;
    const pendingMerge = change(project, piece, keys, outcome === "unknown");
    const isAbandoned = abandonedClaimDetector();
    await retryUntilUnlocked(() =>
      withTraceState(pendingMerge.reader, project, trace.trace_id, async (state) => {
        if (state.kind === "stored") return (await pendingMerge.attempt(state)) ?? tryAgain;
        await pendingMerge.discard();
        refuseDeleted(state, mayRevive);
        if (state.kind === "uncommitted" && !isAbandoned(state.pointer)) return tryAgain;
        const heldState = state.kind === "absent" ? null : state;
        return (await insert(project, newTrace, keys, { heldState, mayRevive })) ? newTrace : tryAgain;
      }),
    );
  };

  const commitChange = async (
    project: string,
    trace: string,
    piece: TracePiece,
    keys: readonly string[],
    isUnknown: boolean,
  ): Promise<Trace | null> => {
    const pendingChange = change(project, piece, keys, isUnknown);
    return await retryUntilUnlocked(() =>
      withTraceState(pendingChange.reader, project, trace, async (state) => {
        if (state.kind === "stored") return (await pendingChange.attempt(state)) ?? tryAgain;
        await pendingChange.discard();
        refuseDeleted(state);
        return null;
      }),
    );
  };

  return {
    save: async (project, trace, kind = "trace", keys = []) => {
      // A failing claim costs as much as a successful one; reading the pointer first is cheaper.
      await store(project, trace, kind, keys, await reader.pointerSnapshot(project, trace.trace_id));
    },

    saveNew: (project, trace, keys = []) => store(project, trace, "trace", keys, null),

    saveIdempotent: async (project, trace, idempotency, keys = []) => {
      const newTrace = mergeTrace(null, pricedTrace(trace, priceOf));
      checkTraceLimits(newTrace);
      const id = trace.trace_id;
      if (
        (await reader.pointerSnapshot(project, id)) === null &&
        (await insert(project, newTrace, keys, { heldState: null, mayRevive: true, idempotency }))
      )
        return;
      await retryUntilUnlocked(async () => {
        const existingRow = await reader.locate(project, id);
        if (existingRow === null) {
          if ((await reader.rejection(project, id)) === "everything") throw traceDeleted();
          const pointer = await reader.pointer(project, id);
          const heldState = pointer === null ? null : ({ kind: "uncommitted", pointer } as const);
          return (await insert(project, newTrace, keys, { heldState, mayRevive: true, idempotency })) || tryAgain;
        }
        idempotency.checkReplay(await reader.bodyHash(project, id));
        return true;
      });
    },

    snapshots: (project, ids) => readTraceSnapshots(reader, project, ids),

    saveKnown: (project, trace, snapshot, keys = []) => store(project, trace, "telemetry", keys, snapshot),

    addSpans: async (project, trace, spans, keys = []) => {
      const piece = { kind: "spans", spans: pricedSpans(spans, priceOf) } as const;
      const snapshot = await reader.pointerSnapshot(project, trace);
      const outcome = snapshot === null ? "document" : await append(project, trace, piece, keys, snapshot);
      return outcome === "stored" || (await commitChange(project, trace, piece, keys, outcome === "unknown")) !== null;
    },

    change: (project, trace, patch, keys = []) => {
      const pricedPatch =
        patch.kind === "trace-patch" ? patch : { ...patch, update: pricedUpdate(patch.update, priceOf) };
      return commitChange(project, trace, pricedPatch, keys, false);
    },
  };
};
