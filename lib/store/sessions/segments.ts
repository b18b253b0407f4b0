import * as v from "valibot";
import type { SessionSumState } from "../../domain/sessions/session.ts";
import type { Database } from "../../dynamo/database.ts";
import { succeeds } from "../../dynamo/failure.ts";
import { ifAbsent, itemsOf } from "../../dynamo/items.ts";
import { shortId } from "../traces/writer.ts";
import {
  segmentHeadKey,
  nameOfSession,
  rowKeyName,
  rowKeyOfSort,
  segmentPrefix,
  segmentsPartition,
  segmentSort,
} from "./segment-keys.ts";
import { packSum, unpackSum } from "./segment-sum.ts";

/**
 * Milliseconds after which a segment's sum may be stored: 30 s until the request that created the segment has ended,
 * and 60 s until the index shows every change from before the segment.
 */
const settleMilliseconds = 90_000;

/** Seconds a sum is used: recomputed daily, so that an error from a lost stream record does not persist. */
const sumSeconds = 86_400;

/**
 * Seconds that segments and heads are kept: segments are recreated weekly, and expire long before the head that leads
 * to them.
 */
const [segmentSeconds, headSeconds] = [7 * 86_400, 30 * 86_400];

/** Segments created in one transaction: it has 100 actions, and one writes the head. */
const maxSegmentsPerTransaction = 99;

/** Item that marks a session as having segments. */
const head = v.object({
  /**
   * Random revision, new with every transaction that creates segments: of two concurrent readers only one creates
   * them, so segments never overlap.
   */
  rev: v.string(),
  /** Highest end of all segments of the session, as hexadecimal text (see `rowKeyName`). */
  reach: v.string(),
});

/** The head item of a session with segments: stored sums of consecutive rows. */
export type SegmentHead = Readonly<v.InferOutput<typeof head>>;

const bytes = v.pipe(
  v.instance(Uint8Array),
  v.transform((value) => Buffer.from(value)),
);
const segment = v.object({
  sk: v.string(),
  to: bytes,
  /** Creation time, epoch milliseconds. */
  at: v.number(),
  d: v.optional(v.string()),
  /** Expiry of the sum, epoch seconds: when one of its rows expires, or the sum is a day old. */
  until: v.optional(v.number()),
});

/** Consecutive rows of a session, from the sort key `from` up to but excluding `to`. */
export interface Segment {
  readonly from: Buffer;
  readonly to: Buffer;
  readonly at: number;
  /** Sum of the segment's rows; null when the rows have to be read. */
  readonly sum: SessionSumState | null;
  /** True if the segment is old enough for its sum to be stored. */
  readonly isSettled: boolean;
}

/** Store of the segments of large sessions and their sums. `lib/README.md` explains how sums stay correct. */
export const sessionSegments = (database: Database, now: () => number = Date.now) => {
  const aggregates = itemsOf(database, "aggregates");

  return {
    /** Returns the head of a session; null when it has no segments. The head must be read before the segments. */
    head: async (project: string, session: string): Promise<SegmentHead | null> => {
      const item = await aggregates.get(segmentHeadKey(project, nameOfSession(project, session)));
      return item === undefined ? null : v.parse(head, item);
    },

    /** Returns the segments of a session, in the order of their rows. */
    list: async (project: string, session: string): Promise<readonly Segment[]> => {
      const at = now();
      const prefix = segmentPrefix(nameOfSession(project, session));
      const items = await aggregates.list({ pk: segmentsPartition(project), prefix });
      return items.map((item) => {
        const { sk, to, at: madeAt, d, until = 0 } = v.parse(segment, item);
        const sum = d === undefined || until * 1000 <= at ? null : unpackSum(d);
        return { from: rowKeyOfSort(sk), to, at: madeAt, sum, isSettled: madeAt + settleMilliseconds <= at };
      });
    },

    /**
     * Creates segments without sums; gives up when another reader has created some since the head was read.
     *
     * @param ends start and end of each segment, in order.
     * @param headBefore head of the session, read before its segments.
     */
    create: async (
      project: string,
      session: string,
      ends: readonly (readonly [from: Buffer, to: Buffer])[],
      headBefore: SegmentHead | null,
    ): Promise<void> => {
      const name = nameOfSession(project, session);
      const { pk, sk } = segmentHeadKey(project, name);
      for (let [start, currentHead] = [0, headBefore]; start < ends.length; start += maxSegmentsPerTransaction) {
        const [batch, at] = [ends.slice(start, start + maxSegmentsPerTransaction), now()];
        const reach = [currentHead?.reach ?? "", ...batch.map(([, to]) => rowKeyName(to))].toSorted().at(-1) ?? "";
        const [rev, seconds] = [shortId(), Math.ceil(at / 1000)];
        const putHead = {
          put: { pk, sk, rev, reach, ttl: seconds + headSeconds },
          when: currentHead === null ? ifAbsent : "rev = :rev",
          values: { ":rev": currentHead?.rev },
        };
        const puts = batch.map(([from, to]) => ({
          put: { pk, sk: segmentSort(name, rowKeyName(from)), to, at, ttl: seconds + segmentSeconds },
        }));
        if (!(await succeeds(aggregates.transact([putHead, ...puts])))) return;
        currentHead = { rev, reach };
      }
    },

    /**
     * Stores the sum of a settled segment, unless one of its rows has changed since it was read.
     *
     * @param expiresAt earliest expiry of the segment's rows, epoch seconds; infinite when none expires.
     */
    saveSum: async (
      project: string,
      session: string,
      { from, at }: Segment,
      sum: SessionSumState,
      expiresAt: number,
    ): Promise<void> => {
      const packed = packSum(sum);
      if (packed === null) return;
      const key = {
        pk: segmentsPartition(project),
        sk: segmentSort(nameOfSession(project, session), rowKeyName(from)),
      };
      const until = Math.min(Math.floor(now() / 1000) + sumSeconds, expiresAt);
      await succeeds(
        aggregates.update(key, "SET d = :d, #until = :until", {
          when: "#at = :at",
          values: { ":at": at, ":d": packed, ":until": until },
        }),
      );
    },
  };
};

export type SessionSegments = ReturnType<typeof sessionSegments>;
