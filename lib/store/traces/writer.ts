import { randomBytes } from "node:crypto";
import { DeleteCommand, PutCommand, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { dayOf } from "../../domain/instant.ts";
import { keptHash, type Repeat } from "../../domain/repeat.ts";
import { isScattered, runToMerge } from "../../domain/traces/merge-plan.ts";
import type { PieceLocation, TraceRow } from "../../domain/traces/row.ts";
import type { Database } from "../database.ts";
import { succeeds, isLostRace } from "../failure.ts";
import { packHashes } from "../documents/mark-hashes.ts";
import { writeStamp } from "../documents/part-age.ts";
import { packRow, unpackRow } from "./row-codec.ts";
import type { TraceDays } from "./days.ts";
import { bodyPartition, filterSort, partSort, pointerSort, rowKey, sessionPartition } from "./keys.ts";
import type { Pointer } from "./reader.ts";

/** A day: longer than any function that could still write where a row was fenced off. */
const fenceSeconds = 86_400;

/** 15 minutes: longer than any function could still write for a trace that was deleted. */
const buriedSeconds = 900;

/** What claims a trace id: where the row will lie, and the first part of the document, written with it in one item. */
export interface Claim {
  readonly pointer: Pointer;
  readonly firstPart: Buffer;
  readonly expiresAt: number | null;
  /** Of the request that claims it, where that can come again. */
  readonly repeat: Repeat;
}

/** A random id, unique within one trace. */
export const shortId = (): string => randomBytes(6).toString("base64url");

/** The item that a refused conditional write met, where it asked for it. */
const metItem = v.object({ Item: v.object({ i: v.object({ S: v.string() }) }) });

/** Whether pieces of a trace's document are to be put together: who follows the rows looks for that. */
const waits = ({ late }: TraceRow): boolean =>
  late !== null && (runToMerge(late.ages) !== null || isScattered(late.ages));

const metRow = v.object({
  Item: v.object({
    sk: v.object({ B: v.instance(Uint8Array) }),
    d: v.object({ B: v.instance(Uint8Array) }),
    v: v.object({ N: v.string() }),
    c: v.optional(v.object({ N: v.string() })),
    i: v.object({ S: v.string() }),
  }),
});

/** The row that a refused write met; null when it says none. */
const rowMet = (error: unknown): TraceRow | null => {
  if (!v.is(metRow, error)) return null;
  const { sk, d, v: version, c: content = version, i } = error.Item;
  return unpackRow({ sk: sk.B, d: d.B, v: Number(version.N), c: Number(content.N), i: i.S });
};

/** What became of a commit. */
export type Replaced = { readonly held: true } | { readonly held: false; readonly there: TraceRow | null };

/**
 * The single steps by which a trace is written. Parts come first and the row last: the row is the commit, and a part
 * that no row names does not exist.
 */
export const traceWriter = ({ client, table }: Database, days: TraceDays, now: () => number) => {
  const pointerKey = (project: string, trace: string) => ({ pk: bodyPartition(project, trace), sk: pointerSort });

  const pointerItem = (project: string, trace: string, { pointer, firstPart, expiresAt, repeat }: Claim) => ({
    ...pointerKey(project, trace),
    r: pointer.startedAt,
    i: pointer.incarnation,
    b: firstPart,
    w: writeStamp(now()),
    ttl: expiresAt ?? undefined,
    ...keptHash(repeat),
  });

  const rowItem = (project: string, row: TraceRow, expiresAt: number | null) => ({
    ...rowKey(project, row.traceId, row.startedAt),
    d: packRow(row),
    v: row.version,
    c: row.contentVersion === row.version ? undefined : row.contentVersion,
    i: row.incarnation,
    f: waits(row) ? 1 : undefined,
    s: row.sessionId === null ? undefined : sessionPartition(project, row.sessionId),
    ttl: expiresAt ?? undefined,
  });

  /** Takes a row's place for `incarnation`: what was to be committed there by anybody else is refused. */
  const fence = (project: string, trace: string, startedAt: string, incarnation: string) => ({
    TableName: table("rows"),
    Item: {
      ...rowKey(project, trace, startedAt),
      i: incarnation,
      ttl: Math.ceil(now() / 1000) + fenceSeconds,
    },
  });

  return {
    /** Stores parts of a piece of the document, the first of them with the number `from`. */
    putParts: async (
      project: string,
      trace: string,
      incarnation: string,
      piece: string,
      parts: readonly Buffer[],
      from: number,
      expiresAt: number | null,
    ): Promise<void> => {
      await Promise.all(
        parts.map((bytes, index) =>
          client.send(
            new PutCommand({
              TableName: table("bodies"),
              Item: {
                pk: bodyPartition(project, trace),
                sk: partSort(piece, from + index),
                b: bytes,
                i: incarnation,
                w: writeStamp(now()),
                ttl: expiresAt ?? undefined,
              },
            }),
          ),
        ),
      );
    },

    /** Stores a filter of marks. */
    putFilter: async (
      project: string,
      trace: string,
      incarnation: string,
      filter: string,
      hashes: Iterable<number>,
      expiresAt: number | null,
    ): Promise<void> => {
      await client.send(
        new PutCommand({
          TableName: table("bodies"),
          Item: {
            pk: bodyPartition(project, trace),
            sk: filterSort(filter),
            b: packHashes(hashes),
            i: incarnation,
            w: writeStamp(now()),
            ttl: expiresAt ?? undefined,
          },
        }),
      );
    },

    /** Deletes a filter that no row names (any more). */
    deleteFilter: async (project: string, trace: string, filter: string): Promise<void> => {
      const Key = { pk: bodyPartition(project, trace), sk: filterSort(filter) };
      await client.send(new DeleteCommand({ TableName: table("bodies"), Key }));
    },

    /**
     * Deletes a piece that no row names (any more).
     *
     * @param afterEach of its parts; is told how many write units that took, infinitely many where DynamoDB does not say.
     */
    deletePiece: async (
      project: string,
      trace: string,
      incarnation: string,
      location: PieceLocation,
      afterEach?: (units: number) => Promise<unknown>,
    ): Promise<void> => {
      const inPointer = location.id === incarnation;
      if (inPointer) {
        // Not held: somebody has claimed the id since, and replaced the part with theirs.
        await succeeds(
          client.send(
            new UpdateCommand({
              TableName: table("bodies"),
              Key: pointerKey(project, trace),
              UpdateExpression: "REMOVE b",
              ConditionExpression: "i = :i",
              ExpressionAttributeValues: { ":i": incarnation },
            }),
          ),
        );
      }
      const pk = bodyPartition(project, trace);
      for (let part = inPointer ? 1 : 0; part < location.parts; part += 1) {
        const { ConsumedCapacity } = await client.send(
          new DeleteCommand({
            TableName: table("bodies"),
            Key: { pk, sk: partSort(location.id, part) },
            ReturnConsumedCapacity: afterEach === undefined ? "NONE" : "TOTAL",
          }),
        );
        await afterEach?.(ConsumedCapacity?.CapacityUnits ?? Number.POSITIVE_INFINITY);
      }
    },

    /** Claims a trace id nobody holds. */
    claim: (project: string, trace: string, mine: Claim): Promise<boolean> =>
      succeeds(
        client.send(
          new PutCommand({
            TableName: table("bodies"),
            Item: pointerItem(project, trace, mine),
            ConditionExpression: "attribute_not_exists(pk)",
          }),
        ),
      ),

    /**
     * Takes a trace id over from a writer that claimed it and has not committed: its row's place is fenced first, so that
     * it cannot commit any more, however slow it is.
     */
    takeOver: async (project: string, trace: string, held: Pointer, mine: Claim): Promise<boolean> => {
      const fenced = await succeeds(
        client.send(
          new PutCommand({
            ...fence(project, trace, held.startedAt, mine.pointer.incarnation),
            ConditionExpression: "attribute_not_exists(d) OR #ttl <= :now",
            ExpressionAttributeNames: { "#ttl": "ttl" },
            ExpressionAttributeValues: { ":now": Math.floor(now() / 1000) },
          }),
        ),
      );
      if (!fenced) return false;
      return await succeeds(
        client.send(
          new PutCommand({
            TableName: table("bodies"),
            Item: pointerItem(project, trace, mine),
            // A committed trace whose start has moved since keeps its incarnation.
            ConditionExpression: "i = :held AND r = :start",
            ExpressionAttributeValues: { ":held": held.incarnation, ":start": held.startedAt },
          }),
        ),
      );
    },

    /** Commits a new trace. @returns false when its place was fenced off meanwhile. */
    insertRow: async (project: string, row: TraceRow, expiresAt: number | null): Promise<boolean> => {
      await days.add(project, dayOf(row.startedAt));
      return await succeeds(
        client.send(
          new PutCommand({
            TableName: table("rows"),
            Item: rowItem(project, row, expiresAt),
            ConditionExpression: "attribute_not_exists(pk) OR (attribute_not_exists(d) AND i = :i)",
            ExpressionAttributeValues: { ":i": row.incarnation },
          }),
        ),
      );
    },

    /**
     * Deletes a trace: puts a fence in its row's place that says which incarnation has ended, for the purge to read. No
     * writer of it can commit from then on.
     *
     * @param version at which alone it is to be deleted; at any when absent.
     * @returns false when the row is not (or no longer) the one that was read; true once only, however often the SDK
     * repeats the request.
     */
    bury: async (
      project: string,
      { traceId, startedAt, incarnation }: TraceRow,
      version?: number,
    ): Promise<boolean> => {
      const id = shortId();
      try {
        await client.send(
          new PutCommand({
            TableName: table("rows"),
            Item: {
              ...rowKey(project, traceId, startedAt),
              i: id,
              x: incarnation,
              ttl: Math.ceil(now() / 1000) + buriedSeconds,
            },
            ConditionExpression: `i = :i AND attribute_exists(d)${version === undefined ? "" : " AND v = :v"}`,
            ExpressionAttributeValues: {
              ":i": incarnation,
              ...(version === undefined ? {} : { ":v": version }),
            },
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        );
        return true;
      } catch (error) {
        if (!isLostRace(error)) throw error;
        return v.is(metItem, error) && error.Item.i.S === id;
      }
    },

    /**
     * Commits a change of a trace under the version it was read with; moves the row when its start changed.
     *
     * @returns whether it did; where it did not the row that is there, when the refusal says it.
     */
    replaceRow: async (
      project: string,
      before: TraceRow,
      row: TraceRow,
      expiresAt: number | null,
    ): Promise<Replaced> => {
      const unchanged = {
        ConditionExpression: "v = :v AND i = :i",
        ExpressionAttributeValues: { ":v": before.version, ":i": before.incarnation },
      };
      const Item = rowItem(project, row, expiresAt);
      if (before.startedAt === row.startedAt) {
        try {
          await client.send(
            new PutCommand({
              TableName: table("rows"),
              Item,
              ...unchanged,
              ReturnValuesOnConditionCheckFailure: "ALL_OLD",
            }),
          );
          return { held: true };
        } catch (error) {
          if (!isLostRace(error)) throw error;
          return { held: false, there: rowMet(error) };
        }
      }
      await days.add(project, dayOf(row.startedAt));
      // A place left empty would let a slow writer in that was fenced off it before.
      const left = fence(project, before.traceId, before.startedAt, shortId());
      const held = await succeeds(
        client.send(
          new TransactWriteCommand({
            TransactItems: [
              { Put: { ...left, ...unchanged } },
              { Put: { TableName: table("rows"), Item, ConditionExpression: "attribute_not_exists(d)" } },
              {
                Update: {
                  TableName: table("bodies"),
                  Key: pointerKey(project, row.traceId),
                  UpdateExpression: "SET r = :r",
                  ConditionExpression: "i = :i",
                  ExpressionAttributeValues: { ":r": row.startedAt, ":i": row.incarnation },
                },
              },
            ],
          }),
        ),
      );
      return held ? { held } : { held, there: null };
    },
  };
};

export type TraceWriter = ReturnType<typeof traceWriter>;
