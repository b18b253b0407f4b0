import * as v from "valibot";
import { mapConcurrently } from "../../async/concurrency.ts";
import { dayOf, type Instant } from "../../domain/instant.ts";
import { invalid } from "../../domain/refusal.ts";
import type { TraceFilter } from "../../domain/traces/filter.ts";
import { instantBytes, instantOf } from "../../dynamo/bytes/instant.ts";
import type { Database } from "../../dynamo/database.ts";
import { rawQuery, type RawItem, type RawPage } from "../../dynamo/raw-query.ts";
import { traceDays, type TraceDay } from "./days.ts";
import { PackedTrace } from "./packed-trace.ts";

/** Rows that a list may read: a longer list is refused, never truncated. */
export const maxRows = 2_000_000;

/**
 * Returns the refusal of a list that would have to read more than `max` rows.
 *
 * @param loc path of the request field that can narrow the list.
 * @param bounds names of the parameters that narrow the list.
 */
export const tooManyRows = (max: number, loc: readonly string[], bounds: string) =>
  invalid(
    loc,
    `More than ${max.toLocaleString("en")} traces would have to be read. Narrow ${bounds}.`,
    "too_many_rows",
  );

/**
 * Returns a function that counts the rows read by a list, one per call. It throws a Refusal `invalid` above `max`
 * rows.
 *
 * @param loc path of the request field that can narrow the list.
 * @param bounds names of the parameters that narrow the list.
 */
export const rowBudget = (max: number, loc: readonly string[], bounds: string): (() => void) => {
  let rows = 0;
  return () => {
    rows += 1;
    if (rows > max) throw tooManyRows(max, loc, bounds);
  };
};

/** Bytes of read data that a list may hold, beside pages in transfer, by the megabytes of its function. */
export const memoryLimits = { 1024: 600_000_000, 1769: 1_050_000_000 } as const;

/** Bytes of memory that a row takes beside its packed bytes. */
export const rowBytes = 900;

/**
 * Returns a function that counts the bytes of memory that a list holds. It throws a Refusal `invalid` above `max`
 * bytes.
 *
 * @param noun plural noun for the data, such as `sessions`.
 * @param loc path of the request field that can narrow the list.
 * @param bounds names of the parameters that narrow the list.
 */
export const memoryBudget = (
  max: number,
  noun: string,
  loc: readonly string[],
  bounds: string,
): ((bytes: number) => void) => {
  let bytesInMemory = 0;
  return (bytes) => {
    bytesInMemory += bytes;
    if (bytesInMemory <= max) return;
    const msg = `There are too many ${noun} to keep them in memory, or their texts are too long. Narrow ${bounds}.`;
    throw invalid(loc, msg, "too_many_rows");
  };
};

/** Pages read at the same time. */
const parallel = 8;

/** Key ranges into which the rest of a day's partition is split when it has more than one page of rows. */
const rangesPerDay = 8;

/**
 * A key range of one partition of a day: rows that start from `from` up to but excluding `to`; each bound is eight bytes of an
 * instant.
 */
interface KeyRangeOfDay {
  readonly partition: Buffer;
  readonly from: Buffer;
  readonly to: Buffer;
  readonly isWholeDay: boolean;
}

type Next = RawPage["next"];

/** A page to read: the first page of a key range, or the page after the key `next`. */
interface Task {
  readonly keyRange: KeyRangeOfDay;
  readonly next: Next;
}

/** Range of starts of traces: `from` inclusive, `to` exclusive, null for no bound. */
export type StartRange = Pick<TraceFilter, "from" | "to">;

interface ScanOptions {
  readonly strongly: boolean;
  /** True to read the incarnations of traces, too. */
  readonly withIncarnations?: boolean;
}

/** Called for each unexpired row, in no particular order. @param expiresAt epoch seconds; null if the trace is kept. */
type RowVisitor = (trace: PackedTrace, expiresAt: number | null) => void;

const secondsOf = (bound: Buffer): number => bound.readUIntBE(0, 5);
const boundAt = (seconds: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeUIntBE(seconds, 0, 5);
  return bytes;
};

/** Keys read at the same time, each in a request of its own. */
const parallelKeys = 16;

/** Bytes that sort after those of every trace id. */
const afterIds = Buffer.alloc(17, 0xff);

const keyItem = v.object({ sk: v.instance(Uint8Array) });

/** Splits the rest of a key range after a page into ranges of equal duration. */
const splitRemainder = ({ partition, to }: KeyRangeOfDay, next: NonNullable<Next>): readonly Task[] => {
  const from = Buffer.from(v.parse(keyItem, next).sk).subarray(0, 8);
  const [first, last] = [secondsOf(from), secondsOf(to)];
  const step = Math.max(1, Math.ceil((last - first) / rangesPerDay));
  const bounds: Buffer[] = [from];
  for (let at = first + step; at < last; at += step) bounds.push(boundAt(at));
  return bounds.map((bound, index) => ({
    keyRange: { partition, from: bound, to: bounds[index + 1] ?? to, isWholeDay: false },
    next: index === 0 ? next : undefined,
  }));
};

const dayAfter = (day: string): Buffer => boundAt(secondsOf(instantBytes(`${day}T00:00:00+00:00`)) + 86_400);

const keyRangesOf = ({ day, partitions }: TraceDay, { from, to }: StartRange): readonly KeyRangeOfDay[] =>
  partitions.map((partition) => ({
    partition,
    from: instantBytes(from !== null && dayOf(from) === day ? from : `${day}T00:00:00+00:00`),
    to: to !== null && dayOf(to) === day ? instantBytes(to) : dayAfter(day),
    isWholeDay: true,
  }));

/** Returns the row in an item; null if the item is no row or has expired. @param now epoch milliseconds. */
export const packedTraceOf = ({ sk, d, i, ttl }: RawItem, now: number): PackedTrace | null => {
  if (d?.B === undefined || sk?.B === undefined || (ttl?.N !== undefined && Number(ttl.N) * 1000 <= now)) return null;
  return new PackedTrace(Buffer.from(sk.B, "base64"), Buffer.from(d.B, "base64"), i?.S);
};

/** Reads all rows of a project that start in a range, several pages at a time. */
export const rowScan = (database: Database, now: () => number = Date.now) => {
  const days = traceDays(database);

  /** Reads one page. @returns the start key of the next page; undefined after the last. */
  const readPage = async (
    { partition, from, to }: KeyRangeOfDay,
    next: Next,
    { strongly, withIncarnations = false }: ScanOptions,
    visit: RowVisitor,
  ): Promise<Next> => {
    const page = await rawQuery(database, {
      TableName: database.table("rows"),
      // A row's sort key is longer than an instant, so BETWEEN excludes rows that start exactly at `to`.
      KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
      ExpressionAttributeValues: { ":pk": partition, ":from": from, ":to": to },
      ProjectionExpression: `sk, d, #ttl${withIncarnations ? ", i" : ""}`,
      ExpressionAttributeNames: { "#ttl": "ttl" },
      ConsistentRead: strongly,
      ExclusiveStartKey: next,
    });
    const at = now();
    for (const item of page.items) {
      const trace = packedTraceOf(item, at);
      const ttl = item["ttl"]?.N;
      if (trace !== null) visit(trace, ttl === undefined ? null : Number(ttl));
    }
    return page.next;
  };

  /** Visits the rows whose sort keys begin with some bytes: those of an instant, or of an instant and an id. */
  const beginningWith = async (
    project: string,
    beginnings: readonly Buffer[],
    reading: ScanOptions,
    visit: RowVisitor,
  ): Promise<void> => {
    const sorted = beginnings.toSorted((a, b) => a.compare(b));
    const [first, last] = [sorted[0], sorted.at(-1)];
    if (first === undefined || last === undefined) return;
    const listed = await days.list(project, reading.strongly, { from: instantOf(first), to: instantOf(last) });
    const partitionsOf = new Map(listed.map(({ day, partitions }) => [day, partitions]));
    await mapConcurrently(sorted, parallelKeys, async (from) => {
      const to = Buffer.concat([from, afterIds]);
      for (const partition of partitionsOf.get(dayOf(instantOf(from))) ?? []) {
        let next: Next;
        do next = await readPage({ partition, from, to, isWholeDay: false }, next, reading, visit);
        while (next !== undefined);
      }
    });
  };

  return {
    /** Visits the rows of a project that start at some instants. */
    at: (project: string, instants: readonly Instant[], reading: ScanOptions, visit: RowVisitor): Promise<void> =>
      beginningWith(project, instants.map(instantBytes), reading, visit),

    /** Visits the rows of a project with some sort keys. */
    of: beginningWith,

    /** Visits all rows of a project that start in a range. @param isRead false for days that are left out. */
    all: async (
      project: string,
      range: StartRange,
      reading: ScanOptions,
      visit: RowVisitor,
      isRead: (day: string) => boolean = () => true,
    ): Promise<void> => {
      const pending = (await days.list(project, reading.strongly, range))
        .filter(({ day }) => isRead(day))
        .flatMap((day) => keyRangesOf(day, range).map((keyRange): Task => ({ keyRange, next: undefined })))
        .filter(({ keyRange }) => Buffer.compare(keyRange.from, keyRange.to) < 0);
      const running = new Set<Promise<void>>();
      const start = async ({ keyRange, next: from }: Task): Promise<void> => {
        const next = await readPage(keyRange, from, reading, visit);
        if (next !== undefined)
          pending.push(...(keyRange.isWholeDay ? splitRemainder(keyRange, next) : [{ keyRange, next }]));
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
