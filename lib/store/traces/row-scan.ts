import * as v from "valibot";
import { dayOf } from "../../domain/instant.ts";
import type { TraceFilter } from "../../domain/traces/filter.ts";
import type { Database } from "../database.ts";
import { instantBytes } from "../bytes/instant.ts";
import { PackedTrace } from "./packed-trace.ts";
import { rawQuery, type RawItem, type RawPage } from "../raw-query.ts";
import { traceDays } from "./days.ts";
import { rowPartition } from "./keys.ts";

/** Pages read at the same time. */
const parallel = 8;

/** Stretches that the rest of a day is read in when it has more than one page. */
const stretches = 8;

/** A range of one day: rows that start from `from` to before `to`, eight bytes of an instant each. */
interface Stretch {
  readonly partition: Buffer;
  readonly from: Buffer;
  readonly to: Buffer;
  readonly isWhole: boolean;
}

type Next = RawPage["next"];

/** A page to be read: the first of a stretch, or the one that begins at `next`. */
interface Task {
  readonly stretch: Stretch;
  readonly next: Next;
}

/** When traces start: `from` inclusive, `to` exclusive, null for no bound. */
export type StartRange = Pick<TraceFilter, "from" | "to">;

interface Reading {
  readonly strongly: boolean;
  /** Whether incarnations are read, too. */
  readonly lives?: boolean;
}

/** Called for each row that has not expired, in no particular order. */
type See = (trace: PackedTrace) => void;

const secondsOf = (bound: Buffer): number => bound.readUIntBE(0, 5);
const boundAt = (seconds: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeUIntBE(seconds, 0, 5);
  return bytes;
};

const keyItem = v.object({ sk: v.instance(Uint8Array) });

/** What is left of a stretch after a page of it, cut into stretches of the same duration. */
const cut = ({ partition, to }: Stretch, next: NonNullable<Next>): readonly Task[] => {
  const from = Buffer.from(v.parse(keyItem, next).sk).subarray(0, 8);
  const [first, last] = [secondsOf(from), secondsOf(to)];
  const step = Math.max(1, Math.ceil((last - first) / stretches));
  const bounds: Buffer[] = [from];
  for (let at = first + step; at < last; at += step) bounds.push(boundAt(at));
  return bounds.map((bound, index) => ({
    stretch: { partition, from: bound, to: bounds[index + 1] ?? to, isWhole: false },
    next: index === 0 ? next : undefined,
  }));
};

const dayAfter = (day: string): Buffer => boundAt(secondsOf(instantBytes(`${day}T00:00:00+00:00`)) + 86_400);

const stretchOf = (project: string, day: string, { from, to }: StartRange): Stretch => ({
  partition: rowPartition(project, day),
  from: instantBytes(from !== null && dayOf(from) === day ? from : `${day}T00:00:00+00:00`),
  to: to !== null && dayOf(to) === day ? instantBytes(to) : dayAfter(day),
  isWhole: true,
});

/** The row in an item; null for what is none, or has expired at `now`, epoch milliseconds. */
export const packedTraceOf = ({ sk, d, i, ttl }: RawItem, now: number): PackedTrace | null => {
  if (d?.B === undefined || sk?.B === undefined || (ttl?.N !== undefined && Number(ttl.N) * 1000 <= now)) return null;
  return new PackedTrace(Buffer.from(sk.B, "base64"), Buffer.from(d.B, "base64"), i?.S);
};

export const rowScan = (database: Database, now: () => number = Date.now) => {
  const days = traceDays(database);

  /** Reads one page. @returns where the next one begins. */
  const readPage = async (
    { partition, from, to }: Stretch,
    next: Next,
    { strongly, lives = false }: Reading,
    see: See,
  ): Promise<Next> => {
    const page = await rawQuery(database, {
      TableName: database.table("rows"),
      // A row's sort key is longer than its instant: one that starts at `to` is beyond.
      KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
      ExpressionAttributeValues: { ":pk": partition, ":from": from, ":to": to },
      ProjectionExpression: `sk, d, #ttl${lives ? ", i" : ""}`,
      ExpressionAttributeNames: { "#ttl": "ttl" },
      ConsistentRead: strongly,
      ExclusiveStartKey: next,
    });
    const at = now();
    for (const item of page.items) {
      const trace = packedTraceOf(item, at);
      if (trace !== null) see(trace);
    }
    return page.next;
  };

  return {
    /** Reads all rows of a project that start in a range. */
    all: async (project: string, range: StartRange, reading: Reading, see: See): Promise<void> => {
      const pending = (await days.list(project, reading.strongly, range))
        .map((day): Task => ({ stretch: stretchOf(project, day, range), next: undefined }))
        .filter(({ stretch }) => Buffer.compare(stretch.from, stretch.to) < 0);
      const running = new Set<Promise<void>>();
      const start = async ({ stretch, next: from }: Task): Promise<void> => {
        const next = await readPage(stretch, from, reading, see);
        if (next !== undefined) pending.push(...(stretch.isWhole ? cut(stretch, next) : [{ stretch, next }]));
      };
      for (;;) {
        const task = running.size < parallel ? pending.pop() : undefined;
        if (task !== undefined) {
          const reading = start(task).finally(() => running.delete(reading));
          running.add(reading);
        } else if (running.size > 0) {
          await Promise.race(running);
        } else {
          return;
        }
      }
    },
  };
};
