import { mergeTrace } from "../../domain/traces/merge.ts";
import type { IdentifiedTrace } from "../../domain/traces/input.ts";
import { checkTraceLimits } from "../../domain/traces/limits.ts";
import type { TracePiece } from "../../domain/traces/piece.ts";
import { namesIn } from "../../domain/traces/facts.ts";
import { rowFactsOf, rowOf, type RowFacts } from "../../domain/traces/row.ts";
import type { Trace } from "../../domain/traces/trace.ts";
import { again } from "../attempts.ts";
import { encodeParts } from "./body-codec.ts";
import type { Database } from "../database.ts";
import { traceCommit } from "./commit.ts";
import { traceDays } from "./days.ts";
import { projectNames } from "./facts/names.ts";
import { pieceToStore } from "./pieces.ts";
import { withState } from "./large-documents.ts";
import { traceReader, type Pointer } from "./reader.ts";
import { shortId, traceWriter } from "./writer.ts";
import { untilFree } from "./until-free.ts";

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
   * Does something to a stored trace. What it appends is durable when it returns; what changes nothing writes nothing.
   *
   * @returns the trace as it is then; null when there is none.
   * @throws Refusal as `save`.
   */
  change(project: string, trace: string, piece: TracePiece, keys?: readonly string[]): Promise<Trace | null>;
}

/** @param retentionDays whole UTC days a trace is kept after its arrival; 0 keeps it. */
export const traceStore = (database: Database, retentionDays: number, now: () => number = Date.now): Traces => {
  const reader = traceReader(database, now);
  const writer = traceWriter(database, traceDays(database), now);
  const names = projectNames(database);
  const factsOf = async (project: string, trace: Trace, keys: readonly string[]): Promise<RowFacts> =>
    rowFactsOf(trace, await names.numbers(project, namesIn(trace.spans)), keys);
  const { change, has } = traceCommit(reader, writer, factsOf, now);

  const expiryOf = (arrivedAt: number): number | null =>
    retentionDays === 0 ? null : (Math.floor(arrivedAt / 86_400_000) + 1 + retentionDays) * 86_400;

  const insert = async (
    project: string,
    trace: Trace,
    keys: readonly string[],
    held: Pointer | null,
  ): Promise<boolean> => {
    const facts = await factsOf(project, trace, keys);
    const [arrivedAt, incarnation, id] = [now(), shortId(), trace.trace_id];
    const expiresAt = expiryOf(arrivedAt);
    const [firstPart = Buffer.of(), ...others] = await encodeParts(pieceToStore({ kind: "trace", trace }));
    const mine = { pointer: { startedAt: trace.started_at, incarnation }, firstPart, expiresAt };
    const claimed =
      held === null ? await writer.claim(project, id, mine) : await writer.takeOver(project, id, held, mine);
    if (!claimed) return false;
    await writer.putParts(project, id, incarnation, incarnation, others, 1, expiresAt);
    const location = { id: incarnation, parts: 1 + others.length };
    const stored = { facts, version: 1, arrivedAt, changedAt: arrivedAt, incarnation, pieces: [location] };
    if (await writer.insertRow(project, rowOf(trace, stored), expiresAt)) return true;
    if (await has(project, id, location)) return true;
    await writer.deletePiece(project, id, incarnation, location);
    return false;
  };

  const store = async (
    project: string,
    sent: IdentifiedTrace,
    kind: "trace" | "telemetry",
    keys: readonly string[],
    isKnown: () => Promise<boolean>,
  ): Promise<void> => {
    const fresh = mergeTrace(null, sent);
    checkTraceLimits(fresh);
    if (!(await isKnown()) && (await insert(project, fresh, keys, null))) return;
    const merge = change(project, { kind, trace: sent }, keys);
    await untilFree(() =>
      withState(reader, project, sent.trace_id, async (state) => {
        if (state.kind === "stored") return (await merge.attempt(state)) ?? again;
        await merge.discard();
        const held = state.kind === "uncommitted" ? state.pointer : null;
        return (await insert(project, fresh, keys, held)) ? fresh : again;
      }),
    );
  };

  return {
    // A claim that fails costs as much as one that succeeds: a glance, half a read unit, spares most of those.
    save: (project, sent, kind = "trace", keys = []) =>
      store(project, sent, kind, keys, () => reader.isKnown(project, sent.trace_id)),

    saveNew: (project, sent, keys = []) => store(project, sent, "trace", keys, async () => false),

    change: async (project, trace, piece, keys = []) => {
      const changing = change(project, piece, keys);
      return await untilFree(() =>
        withState(reader, project, trace, async (state) => {
          if (state.kind === "stored") return (await changing.attempt(state)) ?? again;
          await changing.discard();
          return null;
        }),
      );
    },
  };
};
