import { isDeepStrictEqual } from "node:util";
import { mergeTrace } from "../../domain/traces/merge.ts";
import { noPrices, pricedSpans, pricedTrace, pricedUpdate, type PriceOf } from "../../domain/traces/priced.ts";
import type { IdentifiedSpan, IdentifiedTrace } from "../../domain/traces/input.ts";
import { namesIn } from "../../domain/traces/facts.ts";
import { keysHash, lateFactsOf } from "../../domain/traces/late-facts.ts";
import { wholeTier } from "../../domain/traces/merge-plan.ts";
import { checkTraceLimits } from "../../domain/traces/check-limits.ts";
import type { TracePiece } from "../../domain/traces/piece.ts";
import { rowFactsOf, rowOf, type RowFacts } from "../../domain/traces/row.ts";
import { unrepeated, type Repeat } from "../../domain/repeat.ts";
import type { Span, Trace } from "../../domain/traces/trace.ts";
import { again } from "../attempts.ts";
import { encodeParts, firstPartSize } from "../documents/body-codec.ts";
import type { Database } from "../database.ts";
import { traceAppend } from "./append.ts";
import { traceCommit } from "./commit.ts";
import { traceDays } from "./days.ts";
import { projectNames } from "./facts/names.ts";
import { pieceToStore } from "../documents/pieces.ts";
import { marksOfWhole, putMarks, tidyMarks } from "./known-marks.ts";
import { withState } from "./large-documents.ts";
import { traceReader, type Pointer } from "./reader.ts";
import { roomForPieces } from "./room-for-pieces.ts";
import { lookForTraces, type SeenTrace } from "./seen.ts";
import { shortId, traceWriter } from "./writer.ts";
import { untilFree } from "./until-free.ts";

type PatchPiece = Extract<TracePiece, { kind: "trace-patch" | "span-patch" }>;

export interface Traces {
  /**
   * Stores a trace, or merges it into the one that is there. Durable and strongly readable when it returns; a repeated
   * delivery writes nothing.
   *
   * @param kind how it merges: `telemetry` is a trace whose fields follow from its spans.
   * @param keys of metadata that the project has declared.
   * @throws Refusal `too-large` above 10,000 spans or 32 MiB; `invalid` above 100 tags; `unavailable` when too many
   * writers change it at once.
   */
  save(project: string, sent: IdentifiedTrace, kind?: "trace" | "telemetry", keys?: readonly string[]): Promise<void>;
  /** The same for a trace whose id was made just now, which nobody else can know: it is not looked for. */
  saveNew(project: string, sent: IdentifiedTrace, keys?: readonly string[]): Promise<void>;
  /**
   * The same for a trace whose id follows from a key for repeating: it is stored once, and what has become of it since is left
   * as it is.
   *
   * @throws Refusal as `save`, and as `repeat.met`.
   */
  saveOnce(project: string, sent: IdentifiedTrace, repeat: Repeat, keys?: readonly string[]): Promise<void>;
  /** Looks for many traces at once. @returns by id those that somebody has sent; the answer may be seconds old. */
  look(project: string, traces: readonly string[]): Promise<ReadonlyMap<string, SeenTrace>>;
  /** `save` of telemetry for a trace that was looked for. @param seen what was there of it, null for nothing. */
  saveSeen(project: string, sent: IdentifiedTrace, seen: SeenTrace | null, keys?: readonly string[]): Promise<void>;
  /**
   * Adds spans to a stored trace, or merges them into those that it has. Durable when it returns; spans that are new to the trace
   * cost what they are, whatever its size.
   *
   * @returns whether there is such a trace.
   * @throws Refusal as `save`.
   */
  addSpans(
    project: string,
    trace: string,
    spans: readonly IdentifiedSpan[],
    keys?: readonly string[],
  ): Promise<boolean>;
  /**
   * Patches a stored trace. What it appends is durable when it returns; what changes nothing writes nothing.
   *
   * @returns the trace as it is then; null when there is none.
   * @throws Refusal as `save`.
   */
  change(project: string, trace: string, patch: PatchPiece, keys?: readonly string[]): Promise<Trace | null>;
}

/**
 * Looks at one claim after which it counts as abandoned. A look reads as often as the claim's owner has still to write, so
 * that an owner who is alive has committed by then, on a slow machine too. Who takes over at the first look throws the owner
 * back, is thrown back himself by the next, and of a crowd nobody commits.
 */
const looksAtClaim = 4;

/** Tells an abandoned claim of a trace id from one whose owner is on the way, from how often it was seen uncommitted. */
const claimWatch = () => {
  let seen: Pointer | null = null;
  let looks = 0;
  return (claim: Pointer): boolean => {
    looks = isDeepStrictEqual(seen, claim) ? looks + 1 : 1;
    seen = claim;
    return looks >= looksAtClaim;
  };
};

/**
 * @param retentionDays whole UTC days a trace is kept after its arrival; 0 keeps it.
 * @param priceOf what models cost that come with spans.
 */
export const traceStore = (
  database: Database,
  retentionDays: number,
  now: () => number = Date.now,
  priceOf: PriceOf = noPrices,
): Traces => {
  const reader = traceReader(database, now);
  const writer = traceWriter(database, traceDays(database), now);
  const room = roomForPieces(reader, writer);
  const names = projectNames(database);
  const factsOf = async (project: string, trace: Trace, keys: readonly string[]): Promise<RowFacts> =>
    rowFactsOf(trace, await names.numbers(project, namesIn(trace.spans)), keys);
  const { change, has } = traceCommit(reader, writer, room, factsOf, now);
  const numbersOf = (project: string, spans: readonly Span[]) => names.numbers(project, namesIn(spans));
  const append = traceAppend(reader, writer, room, numbersOf, now);

  const expiryOf = (arrivedAt: number): number | null =>
    retentionDays === 0 ? null : (Math.floor(arrivedAt / 86_400_000) + 1 + retentionDays) * 86_400;

  const insert = async (
    project: string,
    trace: Trace,
    keys: readonly string[],
    held: Pointer | null,
    repeat: Repeat = unrepeated,
  ): Promise<boolean> => {
    const facts = await factsOf(project, trace, keys);
    const [arrivedAt, incarnation, id] = [now(), shortId(), trace.trace_id];
    const expiresAt = expiryOf(arrivedAt);
    const parts = await encodeParts(pieceToStore({ kind: "trace", trace }), firstPartSize);
    const [firstPart = Buffer.of(), ...others] = parts;
    const mine = { pointer: { startedAt: trace.started_at, incarnation }, firstPart, expiresAt, repeat };
    const claimed =
      held === null ? await writer.claim(project, id, mine) : await writer.takeOver(project, id, held, mine);
    if (!claimed) return false;
    const marks = marksOfWhole(trace, others.length === 0);
    await Promise.all([
      writer.putParts(project, id, incarnation, incarnation, others, 1, expiresAt),
      putMarks(writer, project, { traceId: id, incarnation }, marks, expiresAt),
    ]);
    const location = { id: incarnation, parts: parts.length };
    const ages = [{ tier: wholeTier, joins: false }];
    const late = { mergedAt: 1, facts: lateFactsOf(trace, keysHash(keys)), marks: marks.known, ages };
    const versions = { version: 1, contentVersion: 1 };
    const stored = { facts, ...versions, arrivedAt, changedAt: arrivedAt, incarnation, pieces: [location], late };
    if (await writer.insertRow(project, rowOf(trace, stored), expiresAt)) return true;
    if (await has(project, id, location)) return true;
    await writer.deletePiece(project, id, incarnation, location);
    await tidyMarks(writer, project, id, marks, { held: false, there: rowOf(trace, { ...stored, late: null }) });
    return false;
  };

  const store = async (
    project: string,
    unpriced: IdentifiedTrace,
    kind: "trace" | "telemetry",
    keys: readonly string[],
    seen: SeenTrace | null,
  ): Promise<void> => {
    const sent = pricedTrace(unpriced, priceOf);
    const fresh = mergeTrace(null, sent);
    checkTraceLimits(fresh);
    if (seen === null && (await insert(project, fresh, keys, null))) return;
    const piece = { kind, trace: sent };
    const outcome = seen === null ? "document" : await append(project, sent.trace_id, piece, keys, seen);
    if (outcome === "stored") return;
    const merge = change(project, piece, keys, outcome === "unknown");
    const isAbandoned = claimWatch();
    await untilFree(() =>
      withState(reader, project, sent.trace_id, async (state) => {
        if (state.kind === "stored") return (await merge.attempt(state)) ?? again;
        await merge.discard();
        const held = state.kind === "uncommitted" ? state.pointer : null;
        if (held !== null && !isAbandoned(held)) return again;
        return (await insert(project, fresh, keys, held)) ? fresh : again;
      }),
    );
  };

  const changed = async (
    project: string,
    trace: string,
    piece: TracePiece,
    keys: readonly string[],
    isUnknown: boolean,
  ): Promise<Trace | null> => {
    const changing = change(project, piece, keys, isUnknown);
    return await untilFree(() =>
      withState(reader, project, trace, async (state) => {
        if (state.kind === "stored") return (await changing.attempt(state)) ?? again;
        await changing.discard();
        return null;
      }),
    );
  };

  return {
    save: async (project, sent, kind = "trace", keys = []) => {
      // A claim that fails costs as much as one that succeeds: a glance spares most of those.
      await store(project, sent, kind, keys, await reader.glance(project, sent.trace_id));
    },

    saveNew: (project, sent, keys = []) => store(project, sent, "trace", keys, null),

    saveOnce: async (project, sent, repeat, keys = []) => {
      const fresh = mergeTrace(null, pricedTrace(sent, priceOf));
      checkTraceLimits(fresh);
      const id = sent.trace_id;
      if ((await reader.glance(project, id)) === null && (await insert(project, fresh, keys, null, repeat))) return;
      await untilFree(async () => {
        const there = await reader.locate(project, id);
        if (there === null)
          return (await insert(project, fresh, keys, await reader.pointer(project, id), repeat)) || again;
        repeat.met(await reader.bodyHash(project, id));
        return true;
      });
    },

    look: (project, ids) => lookForTraces(reader, project, ids),

    saveSeen: (project, sent, seen, keys = []) => store(project, sent, "telemetry", keys, seen),

    addSpans: async (project, trace, spans, keys = []) => {
      const piece = { kind: "spans", spans: pricedSpans(spans, priceOf) } as const;
      const seen = await reader.glance(project, trace);
      const outcome = seen === null ? "document" : await append(project, trace, piece, keys, seen);
      return outcome === "stored" || (await changed(project, trace, piece, keys, outcome === "unknown")) !== null;
    },

    change: (project, trace, patch, keys = []) => {
      const priced = patch.kind === "trace-patch" ? patch : { ...patch, update: pricedUpdate(patch.update, priceOf) };
      return changed(project, trace, priced, keys, false);
    },
  };
};
