import { randomBytes, randomInt } from "node:crypto";
import * as v from "valibot";
import { dayOf } from "../../domain/instant.ts";
import { bodyHashAttribute, type IdempotencyCheck } from "../../domain/idempotency-check.ts";
import { deletedTraceSeconds } from "../../domain/traces/deleted-trace.ts";
import { isScattered, rangeToMerge } from "../../domain/traces/piece.ts";
import type { TraceRow } from "../../domain/traces/row.ts";
import type { Database } from "../../dynamo/database.ts";
import { succeeds, isLostRace, isThrottled } from "../../dynamo/failure.ts";
import { ifAbsent, itemsOf } from "../../dynamo/items.ts";
import { writeHour } from "../documents/pieces.ts";
import { packRow, unpackRow } from "./row-codec.ts";
import type { TraceDays } from "./days.ts";
import {
  mentionKey,
  partitionIn,
  partitionsOfBusyDay,
  pointerKey,
  rowKey,
  sessionPartition,
  withPartition,
} from "./keys.ts";
import { traceParts } from "./pieces/parts.ts";
import { startAttribute, type Pointer } from "./read-body.ts";
import type { HeldState } from "./reader.ts";

/**
 * Seconds a tombstone of a takeover is kept: a day, longer than any function runs that could still write a row with its
 * key.
 */
const tombstoneSeconds = 86_400;

/** Claim of a trace id: the pointer to the future row, and the document's first part, stored in one item. */
export interface Claim {
  readonly pointer: Pointer;
  readonly firstPart: Buffer;
  readonly expiresAt: number | null;
  /** True for a claim that may begin a new incarnation of a trace in the 24 hours after its deletion. */
  readonly mayRevive: boolean;
  /** Idempotency data of the claiming request, if it has any. */
  readonly idempotency: IdempotencyCheck;
}

/** Returns a random id, unique within one trace. */
export const shortId = (): string => randomBytes(6).toString("base64url");

/**
 * Returns the random number of a partition of a busy day. The first one gets half of what the others do: it also has
 * the late spans of the day's earlier traces.
 */
const partitionOfBusyDay = (isOther: boolean): number =>
  Math.ceil(randomInt(isOther ? 1 : 0, 2 * partitionsOfBusyDay - 1) / 2);

/** Schema of a refused conditional write's error that includes the existing item. */
const conflictingItem = v.object({ Item: v.object({ i: v.object({ S: v.string() }) }) });

/** True if pieces of a trace's document are to be merged: a stream worker then merges them. */
const hasMergeBacklog = ({ appendState }: TraceRow): boolean =>
  appendState !== null && (rangeToMerge(appendState.ages) !== null || isScattered(appendState.ages));

const conflictingRow = v.object({
  Item: v.object({
    sk: v.object({ B: v.instance(Uint8Array) }),
    d: v.object({ B: v.instance(Uint8Array) }),
    v: v.object({ N: v.string() }),
    c: v.optional(v.object({ N: v.string() })),
    i: v.object({ S: v.string() }),
  }),
});

/** Returns the existing row included in the error of a refused write; null when there is none. */
const rowOfConflict = (error: unknown): TraceRow | null => {
  if (!v.is(conflictingRow, error)) return null;
  const { sk, d, v: version, c: content = version, i } = error.Item;
  return unpackRow({ sk: sk.B, d: d.B, v: Number(version.N), c: Number(content.N), i: i.S });
};

/** Result of a commit. `currentRow` is the row that is stored instead if the commit failed; null if it is unknown. */
export type CommitResult =
  | { readonly isCommitted: true }
  | { readonly isCommitted: false; readonly currentRow: TraceRow | null };

/**
 * The single steps of writing a trace. Parts are written first and the row last: the row is the commit, and parts
 * that no row names do not count as stored.
 */
export const traceWriter = (database: Database, days: TraceDays, now: () => number) => {
  const [rows, bodies] = [itemsOf(database, "rows"), itemsOf(database, "bodies")];

  const pointerItem = (project: string, trace: string, { pointer, firstPart, expiresAt, idempotency }: Claim) => ({
    ...pointerKey(project, trace),
    [startAttribute(pointer.incarnation)]: pointer.startedAt,
    i: pointer.incarnation,
    b: firstPart,
    w: writeHour(now()),
    ttl: expiresAt ?? undefined,
    ...bodyHashAttribute(idempotency),
  });

  const rowItem = (project: string, row: TraceRow, expiresAt: number | null) => ({
    ...rowKey(project, row.traceId, row),
    d: packRow(row),
    v: row.version,
    c: row.contentVersion === row.version ? undefined : row.contentVersion,
    i: row.incarnation,
    f: hasMergeBacklog(row) ? 1 : undefined,
    // The stream marks a trace that begins to await its end by silence.
    e: row.ending === "awaited" ? 1 : undefined,
    s: row.sessionId === null ? undefined : sessionPartition(project, row.sessionId),
    ttl: expiresAt ?? undefined,
  });

  /**
   * Builds a tombstone under the key of a pointer's row, reserved for `incarnation`: no other writer can commit a row
   * with that key.
   */
  const tombstone = (project: string, trace: string, pointer: Pointer, incarnation: string) => ({
    ...rowKey(project, trace, pointer),
    i: incarnation,
    ttl: Math.ceil(now() / 1000) + tombstoneSeconds,
  });

  const listDay = (project: string, { startedAt, incarnation }: TraceRow): Promise<boolean> =>
    days.add(project, dayOf(startedAt), partitionIn(incarnation) > 0);

  return {
    ...traceParts(database, now),

    /**
     * Returns a random incarnation for a new trace, with a random partition of a busy day: the trace's row stays there.
     *
     * @param pointer pointer that is taken over. Its row's place passes to the new incarnation, unless that is in the
     *   first partition of a busy day: what that one refuses is sent again.
     * @returns null if the list of days is being changed by a transaction.
     */
    newIncarnation: async (
      project: string,
      startedAt: string,
      pointer: Pointer | undefined,
    ): Promise<string | null> => {
      let isBusy: boolean;
      try {
        isBusy = await days.add(project, dayOf(startedAt));
      } catch (error) {
        if (isLostRace(error)) return null;
        throw error;
      }
      const before = pointer === undefined ? null : partitionIn(pointer.incarnation);
      const partition = isBusy ? partitionOfBusyDay(before === 0) : 0;
      return withPartition(shortId(), before === null || before === 0 ? partition : before);
    },

    /** Claims a trace id. @returns false when it is claimed already. */
    claim: (project: string, trace: string, claim: Claim): Promise<boolean> =>
      succeeds(bodies.put(pointerItem(project, trace, claim), { when: ifAbsent })),

    /**
     * Takes over a trace id from a writer that claimed it and has not committed. First a tombstone is stored under the
     * key of that writer's row, so that the writer cannot commit any more, however late. The id of a deleted trace is taken
     * over in the same way.
     *
     * @returns false when the writer has committed, another one took over, or the claim may not revive a deleted trace;
     *   no claim revives one that was erased.
     */
    takeOver: async (project: string, trace: string, { kind, pointer }: HeldState, claim: Claim): Promise<boolean> => {
      const { incarnation, startedAt } = pointer;
      const startName = startAttribute(incarnation);
      const values = { ":now": Math.floor(now() / 1000), ":held": incarnation, ":start": startedAt };
      const ifNotDeleted = claim.mayRevive ? "" : "(attribute_not_exists(x) OR x <> :held) AND ";
      const isReplaced = await succeeds(
        rows.put(
          {
            ...tombstone(project, trace, pointer, claim.pointer.incarnation),
            // A deleted incarnation stays named: until the pointer is replaced it counts as deleted, and it is purged once more later.
            x: kind === "deleted" ? incarnation : undefined,
          },
          { when: `(${ifNotDeleted}attribute_not_exists(d) AND attribute_not_exists(erased)) OR #ttl <= :now`, values },
        ),
      );
      if (!isReplaced) return false;
      return await succeeds(
        bodies.put(pointerItem(project, trace, claim), {
          // A committed trace keeps its incarnation when its start moves, so the start is compared, too.
          when: `i = :held AND ${startName} = :start`,
          values,
        }),
      );
    },

    /** Stores that a trace has spans of further sessions, before its row is written. */
    mention: async (
      project: string,
      trace: string,
      sessions: readonly string[],
      expiresAt: number | null,
    ): Promise<void> => {
      await Promise.all(
        sessions.map((session) => rows.put({ ...mentionKey(project, session, trace), ttl: expiresAt ?? undefined })),
      );
    },

    /**
     * Commits a new trace. If the partition is exhausted, the day is listed as busy: this process then spreads its new
     * rows over the day's partitions, and another one from its next refusal or its first trace of the day.
     *
     * @returns false when a tombstone has the key of its row.
     */
    insertRow: async (project: string, row: TraceRow, expiresAt: number | null): Promise<boolean> => {
      await listDay(project, row);
      try {
        return await succeeds(
          rows.put(rowItem(project, row, expiresAt), {
            when: "attribute_not_exists(pk) OR (attribute_not_exists(d) AND i = :i)",
            values: { ":i": row.incarnation },
          }),
        );
      } catch (error) {
        if (isThrottled(error)) await days.add(project, dayOf(row.startedAt), true);
        throw error;
      }
    },

    /**
     * Deletes a trace by replacing its row with a tombstone that names the deleted incarnation, for the purge. No
     * writer of the trace can commit from then on, and telemetry of its id is rejected until the tombstone expires.
     *
     * @param version only row version to delete; absent for any.
     * @param isErased true if the id takes no new trace either until then.
     * @returns false when the row is not (any more) the one that was read; true exactly once, even if the SDK
     *   repeats the request.
     */
    replaceWithTombstone: async (
      project: string,
      { traceId, startedAt, incarnation }: TraceRow,
      { version, isErased = false }: { readonly version?: number; readonly isErased?: boolean } = {},
    ): Promise<boolean> => {
      const id = shortId();
      try {
        const ttl = Math.ceil(now() / 1000) + deletedTraceSeconds;
        await rows.put(
          {
            ...rowKey(project, traceId, { startedAt, incarnation }),
            i: id,
            x: incarnation,
            ttl,
            ...(isErased && { erased: true }),
          },
          {
            when: `i = :i AND attribute_exists(d)${version === undefined ? "" : " AND v = :v"}`,
            values: { ":i": incarnation, ":v": version },
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          },
        );
        return true;
      } catch (error) {
        if (!isLostRace(error)) throw error;
        return v.is(conflictingItem, error) && error.Item.i.S === id;
      }
    },

    /**
     * Commits a change of a trace, if its row still has the version that was read; moves the row when the trace's
     * start changed.
     */
    replaceRow: async (
      project: string,
      before: TraceRow,
      row: TraceRow,
      expiresAt: number | null,
    ): Promise<CommitResult> => {
      const ifUnchanged = {
        when: "v = :v AND i = :i",
        values: { ":v": before.version, ":i": before.incarnation },
      };
      const item = rowItem(project, row, expiresAt);
      if (before.startedAt === row.startedAt) {
        try {
          await rows.put(item, { ...ifUnchanged, ReturnValuesOnConditionCheckFailure: "ALL_OLD" });
          return { isCommitted: true };
        } catch (error) {
          if (isThrottled(error)) days.forget(project, dayOf(row.startedAt));
          if (!isLostRace(error)) throw error;
          return { isCommitted: false, currentRow: rowOfConflict(error) };
        }
      }
      await listDay(project, row);
      // The row's old key must not become free: a slow writer that an earlier tombstone blocked could commit a row with
      // it.
      const oldPlaceTombstone = tombstone(project, before.traceId, before, shortId());
      const isCommitted = await succeeds(
        rows.transact([
          { put: oldPlaceTombstone, ...ifUnchanged },
          { put: item, when: "attribute_not_exists(d)" },
          {
            table: "bodies",
            update: pointerKey(project, row.traceId),
            change: `SET ${startAttribute(row.incarnation)} = :r`,
            when: "i = :i",
            values: { ":r": row.startedAt, ":i": row.incarnation },
          },
        ]),
      );
      return isCommitted ? { isCommitted } : { isCommitted, currentRow: null };
    },
  };
};

export type TraceWriter = ReturnType<typeof traceWriter>;
