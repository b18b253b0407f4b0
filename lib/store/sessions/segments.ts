import { GetCommand, paginateQuery, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { SumState } from "../../domain/sessions/session.ts";
import type { Database } from "../database.ts";
import { succeeds } from "../failure.ts";
import { shortId } from "../traces/writer.ts";
import {
  headKey,
  nameOfSession,
  placeName,
  placeOfSort,
  segmentPrefix,
  segmentsPartition,
  segmentSort,
} from "./segment-keys.ts";
import { packSum, unpackSum } from "./segment-sum.ts";

/**
 * A sum is kept for a segment that has been there for so long when its rows are read. Half a minute for the request that
 * made it, which has ended, and a minute for the index: it has come by whatever changed before there was the segment.
 */
const settleMilliseconds = 90_000;

/** Sums are made anew after a day: what a lost record of the stream has left wrong does not stay. */
const sumSeconds = 86_400;

/** Segments are made anew after a week, and gone long before the head that tells of them. */
const [segmentSeconds, headSeconds] = [7 * 86_400, 30 * 86_400];

/** A transaction has 100 actions; one of them is the head. */
const mostOfTransaction = 99;

/** What tells that a session has segments. */
const head = v.object({
  /** New with every transaction that makes segments: of two readers one makes them, and no two overlap. */
  rev: v.string(),
  /** No segment goes farther than this place. */
  reach: v.string(),
});

export type SegmentHead = Readonly<v.InferOutput<typeof head>>;

const bytes = v.pipe(
  v.instance(Uint8Array),
  v.transform((value) => Buffer.from(value)),
);
const segment = v.object({
  sk: v.string(),
  to: bytes,
  /** When it was made, epoch milliseconds. */
  at: v.number(),
  d: v.optional(v.string()),
  /** Until when the sum holds, epoch seconds: one of its rows expires then, or it has become old. */
  until: v.optional(v.number()),
});

/** A run of a session's rows, from one sort key on and before another. */
export interface Segment {
  readonly from: Buffer;
  readonly to: Buffer;
  readonly at: number;
  /** Null: its rows have to be read. */
  readonly sum: SumState | null;
  /** Whether what its rows are found to be may be kept. */
  readonly isSettled: boolean;
}

/** The segments of large sessions, and the sums that are kept of them. How they stay right is said in `lib/README.md`. */
export const sessionSegments = ({ client, table }: Database, now: () => number = Date.now) => {
  const TableName = table("aggregates");

  return {
    /** Null when a session has no segments. To be read before them. */
    head: async (project: string, session: string): Promise<SegmentHead | null> => {
      const Key = headKey(project, nameOfSession(project, session));
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      return Item === undefined ? null : v.parse(head, Item);
    },

    /** By their places. */
    list: async (project: string, session: string): Promise<readonly Segment[]> => {
      const at = now();
      const found: Segment[] = [];
      const pages = paginateQuery(
        { client },
        {
          TableName,
          KeyConditionExpression: "pk = :pk AND begins_with(sk, :prefix)",
          ExpressionAttributeValues: {
            ":pk": segmentsPartition(project),
            ":prefix": segmentPrefix(nameOfSession(project, session)),
          },
          ConsistentRead: true,
        },
      );
      for await (const { Items = [] } of pages) {
        for (const item of Items) {
          const { sk, to, at: madeAt, d, until = 0 } = v.parse(segment, item);
          const sum = d === undefined || until * 1000 <= at ? null : unpackSum(d);
          found.push({ from: placeOfSort(sk), to, at: madeAt, sum, isSettled: madeAt + settleMilliseconds <= at });
        }
      }
      return found;
    },

    /**
     * Makes segments, without sums, where none are.
     *
     * @param ends places in their order: each segment goes from one to the next.
     * @param before as it was read before the segments were.
     */
    make: async (
      project: string,
      session: string,
      ends: readonly (readonly [from: Buffer, to: Buffer])[],
      before: SegmentHead | null,
    ): Promise<void> => {
      const name = nameOfSession(project, session);
      const { pk, sk } = headKey(project, name);
      for (let [start, held] = [0, before]; start < ends.length; start += mostOfTransaction) {
        const [some, at] = [ends.slice(start, start + mostOfTransaction), now()];
        const reach = [held?.reach ?? "", ...some.map(([, to]) => placeName(to))].toSorted().at(-1) ?? "";
        const [rev, seconds] = [shortId(), Math.ceil(at / 1000)];
        const Put = {
          TableName,
          Item: { pk, sk, rev, reach, ttl: seconds + headSeconds },
          ...(held === null
            ? { ConditionExpression: "attribute_not_exists(pk)" }
            : { ConditionExpression: "rev = :rev", ExpressionAttributeValues: { ":rev": held.rev } }),
        };
        const puts = some.map(([from, to]) => ({
          Put: {
            TableName,
            Item: { pk, sk: segmentSort(name, placeName(from)), to, at, ttl: seconds + segmentSeconds },
          },
        }));
        if (!(await succeeds(client.send(new TransactWriteCommand({ TransactItems: [{ Put }, ...puts] }))))) return;
        held = { rev, reach };
      }
    },

    /**
     * Keeps the sum of a settled segment, unless one of its rows has changed since it was read.
     *
     * @param expiresAt when the first of its rows expires, epoch seconds; infinite when none does.
     */
    keep: async (
      project: string,
      session: string,
      { from, at }: Segment,
      sum: SumState,
      expiresAt: number,
    ): Promise<void> => {
      const packed = packSum(sum);
      if (packed === null) return;
      await succeeds(
        client.send(
          new UpdateCommand({
            TableName,
            Key: { pk: segmentsPartition(project), sk: segmentSort(nameOfSession(project, session), placeName(from)) },
            UpdateExpression: "SET d = :d, #until = :until",
            ConditionExpression: "#at = :at",
            ExpressionAttributeNames: { "#at": "at", "#until": "until" },
            ExpressionAttributeValues: {
              ":at": at,
              ":d": packed,
              ":until": Math.min(Math.floor(now() / 1000) + sumSeconds, expiresAt),
            },
          }),
        ),
      );
    },
  };
};

export type SessionSegments = ReturnType<typeof sessionSegments>;
