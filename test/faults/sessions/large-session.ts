import { randomUUID } from "node:crypto";
import type { DynamoDBRecord } from "aws-lambda";
import { semaphore } from "../../../lib/async/semaphore.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { SessionSum } from "../../../lib/domain/sessions/session.ts";
import type { TraceRow } from "../../../lib/domain/traces/row.ts";
import type { Database } from "../../../lib/store/database.ts";
import { changedSegments } from "../../../lib/store/sessions/changed-segments.ts";
import { sessionSegments } from "../../../lib/store/sessions/segments.ts";
import { sessionSummary } from "../../../lib/store/sessions/summary.ts";
import { rowKey, sessionPartition } from "../../../lib/store/traces/keys.ts";
import { PackedTrace } from "../../../lib/store/traces/packed-trace.ts";
import { packRow } from "../../../lib/store/traces/row-codec.ts";
import { sessionPages } from "../../../lib/store/traces/rows-of-session.ts";
import { sessionChanges } from "../../../lib/stream/session-changes.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import type { Random } from "../../support/random.ts";
import { deleteRow } from "../../support/traces/delete-row.ts";
import { generateRow } from "../../support/traces/generate-row.ts";
import { writeRows } from "../../support/traces/rows.ts";

/** A trace as the table has it. */
interface Stored {
  readonly row: TraceRow;
  /** Epoch seconds. */
  readonly expiresAt: number | undefined;
}

/** What became of one place of the table: what the stream tells of it, and what the index is going to be told. */
interface Change {
  readonly before: Stored | null;
  readonly after: Stored | null;
  /** When the index has it, epoch milliseconds. */
  readonly indexedAt: number;
}

const [session, other] = ["s", "another"];
const shards = 2;

/** An index lags by no more than this. */
const longestLag = 30_000;

const start = Date.UTC(2026, 9, 1);

const placeOf = ({ before, after }: Omit<Change, "indexedAt">): string => {
  const row = (after ?? before)?.row;
  return `${row?.startedAt} ${row?.traceId}`;
};

const image = (project: string, stored: Stored | null) => {
  if (stored === null) return {};
  const { row, expiresAt } = stored;
  const base64 = (value: Uint8Array) => ({ B: Buffer.from(value).toString("base64") });
  return {
    d: base64(packRow(row)),
    ...(row.sessionId === null ? {} : { s: base64(sessionPartition(project, row.sessionId)) }),
    ...(expiresAt === undefined ? {} : { ttl: { N: String(expiresAt) } }),
  };
};

const recordOf = (project: string, { before, after }: Change): DynamoDBRecord => {
  const row = (after ?? before)?.row;
  if (row === undefined) throw new Error("Nothing has changed.");
  const { pk, sk } = rowKey(project, row.traceId, row.startedAt);
  return {
    dynamodb: {
      Keys: { pk: { B: pk.toString("base64") }, sk: { B: sk.toString("base64") } },
      ...(before === null ? {} : { OldImage: image(project, before) }),
      ...(after === null ? {} : { NewImage: image(project, after) }),
    },
  };
};

/**
 * A session whose table is held in memory: its index is the database's, and lags; its stream is late, comes twice, and its
 * worker dies. Small enough that every boundary is met.
 */
export const largeSession = (database: Database, random: Random) => {
  const project = randomUUID();
  const table = new Map<string, Stored>();
  const stream: Change[][] = Array.from({ length: shards }, () => []);
  let indexing: Change[] = [];
  let at = Date.UTC(2026, 9, 20);
  const now = (): number => at;

  const commit = (before: Stored | null, after: Stored | null, lag = random.below(longestLag)): void => {
    const row = (after ?? before)?.row;
    if (row === undefined) return;
    // Of one place the index gets one change after the other.
    const held = indexing.findLast((each) => placeOf(each) === placeOf({ before, after }))?.indexedAt ?? 0;
    const change = { before, after, indexedAt: Math.max(held, at + lag) };
    stream[Math.floor(Date.parse(row.startedAt) / 1000) % shards]?.push(change);
    indexing.push(change);
    if (after === null) table.delete(row.traceId);
    else table.set(row.traceId, after);
  };

  const isAlive = ({ expiresAt }: Stored): boolean => expiresAt === undefined || expiresAt * 1000 > at;

  const living = (): readonly Stored[] =>
    [...table.values()].filter((stored) => stored.row.sessionId === session && isAlive(stored));

  const some = (): Stored | undefined => [...table.values()][random.below(table.size)];

  const newRow = (from = random.below(5 * 3600)): TraceRow => ({
    ...generateRow(random, start + from * 1000),
    sessionId: session,
    userId: random.chance(0.3) ? `user ${random.below(9)}` : null,
    tags: random.chance(0.2) ? [`tag ${random.below(5)}`] : [],
    totalCost: random.below(1_000_000_000) / 1e9,
  });

  const writes: readonly (() => void)[] = [
    () => commit(null, { row: newRow(), expiresAt: undefined }),
    // At the end, where most come.
    () => commit(null, { row: newRow(5 * 3600 + table.size), expiresAt: undefined }),
    () => commit(null, { row: newRow(), expiresAt: Math.ceil(at / 1000) + random.between(60, 20_000) }),
    () => {
      const stored = some();
      if (stored === undefined || !isAlive(stored)) return;
      const { row, expiresAt } = stored;
      commit(stored, { row: { ...row, totalCost: row.totalCost + 1, spanCount: row.spanCount + 1 }, expiresAt });
    },
    () => {
      const stored = some();
      if (stored !== undefined && isAlive(stored)) commit(stored, null);
    },
    // To another start: a fence in the old place, a row in the new one.
    () => {
      const stored = some();
      if (stored === undefined || !isAlive(stored)) return;
      const startedAt = instantAt(start + random.below(5 * 3600) * 1000);
      if (startedAt === stored.row.startedAt) return;
      const moved = { ...stored, row: { ...stored.row, startedAt } };
      commit(stored, null);
      commit(null, moved);
    },
    () => {
      const stored = some();
      if (stored === undefined || !isAlive(stored)) return;
      const sessionId = stored.row.sessionId === session ? other : session;
      commit(stored, { ...stored, row: { ...stored.row, sessionId } });
    },
    // What has expired is removed some time.
    () => {
      const gone = [...table.values()].find((stored) => !isAlive(stored));
      if (gone !== undefined) commit(gone, null);
    },
  ];

  /** Brings what is due into the index, in the order in which it was written. */
  const index = async (until: number): Promise<void> => {
    const due = indexing.filter(({ indexedAt }) => indexedAt <= until);
    indexing = indexing.filter((change) => !due.includes(change));
    for (const { before, after } of due) {
      if (after !== null) await writeRows(database, project, [after.row], after.expiresAt);
      else if (before !== null) await deleteRow(database, rowKey(project, before.row.traceId, before.row.startedAt));
    }
  };

  const remove = (own: Database, changes: readonly Change[]): Promise<void> =>
    changedSegments(own)(
      sessionChanges(
        changes.map((change) => recordOf(project, change)),
        at,
      ),
    );

  /** Delivers some of a shard: it may be cut, and may come once more. */
  const deliver = async (): Promise<void> => {
    const shard = stream[random.below(shards)] ?? [];
    const batch = shard.slice(0, random.between(1, 5));
    if (batch.length === 0) return;
    let left = random.chance(0.2) ? random.between(1, 4) : Infinity;
    const own = faultyDatabase(database, () => {
      left -= 1;
      return left < 0 ? "crash-before" : null;
    });
    const done = await remove(own, batch).then(
      () => true,
      () => false,
    );
    if (done && random.chance(0.8)) shard.splice(0, batch.length);
  };

  const pass = async (milliseconds: number): Promise<void> => {
    at += milliseconds;
    await index(at);
  };

  const write = (): void => writes[random.below(writes.length)]?.();

  const step = async (): Promise<void> => {
    const what = random.below(10);
    if (what < 4) write();
    else if (what < 8) await deliver();
    else await pass(random.between(1, 2_000));
  };

  const oneByOne = semaphore(1);
  /** Something happens in the middle of a read, one thing at a time. */
  const disturb = (more: () => Promise<void>): Promise<void> =>
    oneByOne(async () => {
      for (let steps = random.below(3); steps > 0; steps -= 1) await step();
      if (random.chance(0.2)) await more();
    });

  const sizes = { small: 6, segment: 6, tail: 2 };
  const [pages, segments] = [sessionPages(database, now), sessionSegments(database, now)];
  const plain = sessionSummary(pages, segments, now, sizes);
  const read = (limit = 5, offset = 0) => plain(project, session, limit, offset);

  /** A reader in whose midst things happen, other readers too. */
  const disturbed = (): Promise<unknown> => {
    const meanwhile = () => disturb(async () => void (await read()));
    const hooked =
      <Given extends readonly unknown[], Result>(work: (...given: Given) => Promise<Result>) =>
      async (...given: Given): Promise<Result> => {
        await meanwhile();
        const result = await work(...given);
        await meanwhile();
        return result;
      };
    const { head, list, make, keep } = segments;
    const parts = { head: hooked(head), list: hooked(list), make: hooked(make), keep: hooked(keep) };
    return sessionSummary(hooked(pages), parts, now, sizes)(project, session, 5, 0);
  };

  return {
    project,
    write,
    step,
    pass,
    read,
    disturbed,
    /** The index and the stream come to their end. */
    settle: async (): Promise<void> => {
      await index(Infinity);
      at += longestLag;
      for (const shard of stream) await remove(database, shard.splice(0));
    },
    /** What the session is, from the table. */
    truth: () => {
      const rows = living().map(
        ({ row }) => new PackedTrace(rowKey(project, row.traceId, row.startedAt).sk, packRow(row)),
      );
      const sorted = rows.toSorted((a, b) => Buffer.compare(a.key, b.key));
      const sum = new SessionSum(session);
      for (const row of sorted) sum.add(row);
      return { session: sum.session(), ids: sorted.map(({ traceId }) => traceId) };
    },
  };
};
