import { randomUUID } from "node:crypto";
import type { DynamoDBRecord } from "aws-lambda";
import { semaphore } from "../../../lib/async/concurrency.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { SessionSum } from "../../../lib/domain/sessions/session.ts";
import type { TraceRow } from "../../../lib/domain/traces/row.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { changedSegments } from "../../../lib/store/sessions/changed-segments.ts";
import { sessionSegments } from "../../../lib/store/sessions/segments.ts";
import { sessionSummary } from "../../../lib/store/sessions/summary.ts";
import { rowKey, sessionPartition } from "../../../lib/store/traces/keys.ts";
import { PackedTrace } from "../../../lib/store/traces/packed-trace.ts";
import { packRow } from "../../../lib/store/traces/row-codec.ts";
import { sessionRowPages } from "../../../lib/store/traces/rows-of-session.ts";
import { sessionChanges } from "../../../lib/stream/session-changes.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import type { Random } from "../../support/random.ts";
import { deleteRow } from "../../support/traces/delete-row.ts";
import { generateRow } from "../../support/traces/generate-row.ts";
import { writeRows } from "../../support/traces/rows.ts";

/** A trace as stored in the in-memory table. */
interface StoredTrace {
  readonly row: TraceRow;
  /** Epoch seconds. */
  readonly expiresAt: number | undefined;
}

/** A change of one table place, to be delivered by the stream and applied to the index. */
interface Change {
  readonly before: StoredTrace | null;
  readonly after: StoredTrace | null;
  /** Epoch milliseconds at which the index contains the change. */
  readonly indexedAt: number;
}

const [session, otherSession] = ["s", "another"];
const shards = 2;

/** Maximum lag of the index in milliseconds. */
const maxLag = 30_000;

const start = Date.UTC(2026, 9, 1);

const placeOf = ({ before, after }: Omit<Change, "indexedAt">): string => {
  const row = (after ?? before)?.row;
  return `${row?.startedAt} ${row?.traceId}`;
};

const image = (project: string, storedTrace: StoredTrace | null) => {
  if (storedTrace === null) return {};
  const { row, expiresAt } = storedTrace;
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
  const { pk, sk } = rowKey(project, row.traceId, row);
  return {
    dynamodb: {
      Keys: { pk: { B: pk.toString("base64") }, sk: { B: sk.toString("base64") } },
      ...(before === null ? {} : { OldImage: image(project, before) }),
      ...(after === null ? {} : { NewImage: image(project, after) }),
    },
  };
};

/**
 * Simulates a large session whose table is in memory. The index is the database's and lags; the stream is late,
 * delivers repeatedly, and its worker crashes. Small page and segment sizes exercise every boundary.
 */
export const largeSession = (database: Database, random: Random) => {
  const project = randomUUID();
  const table = new Map<string, StoredTrace>();
  const stream: Change[][] = Array.from({ length: shards }, () => []);
  let indexing: Change[] = [];
  let at = Date.UTC(2026, 9, 20);
  const now = (): number => at;

  const commit = (before: StoredTrace | null, after: StoredTrace | null, lag = random.below(maxLag)): void => {
    const row = (after ?? before)?.row;
    if (row === undefined) return;
    // The index receives the changes of one place in order.
    const previousIndexedAt = indexing.findLast((each) => placeOf(each) === placeOf({ before, after }))?.indexedAt ?? 0;
    const change = { before, after, indexedAt: Math.max(previousIndexedAt, at + lag) };
    stream[Math.floor(Date.parse(row.startedAt) / 1000) % shards]?.push(change);
    indexing.push(change);
    if (after === null) table.delete(row.traceId);
    else table.set(row.traceId, after);
  };

  const isAlive = ({ expiresAt }: StoredTrace): boolean => expiresAt === undefined || expiresAt * 1000 > at;

  const livingTraces = (): readonly StoredTrace[] =>
    [...table.values()].filter((storedTrace) => storedTrace.row.sessionId === session && isAlive(storedTrace));

  const randomTrace = (): StoredTrace | undefined => [...table.values()][random.below(table.size)];

  const newRow = (from = random.below(5 * 3600)): TraceRow => ({
    ...generateRow(random, start + from * 1000),
    sessionId: session,
    userId: random.chance(0.3) ? `user ${random.below(9)}` : null,
    tags: random.chance(0.2) ? [`tag ${random.below(5)}`] : [],
    totalCost: random.below(1_000_000_000) / 1e9,
  });

  const writes: readonly (() => void)[] = [
    () => commit(null, { row: newRow(), expiresAt: undefined }),
    // At the end of the session, where most traces arrive.
    () => commit(null, { row: newRow(5 * 3600 + table.size), expiresAt: undefined }),
    () => commit(null, { row: newRow(), expiresAt: Math.ceil(at / 1000) + random.between(60, 20_000) }),
    () => {
      const storedTrace = randomTrace();
      if (storedTrace === undefined || !isAlive(storedTrace)) return;
      const { row, expiresAt } = storedTrace;
      commit(storedTrace, { row: { ...row, totalCost: row.totalCost + 1, spanCount: row.spanCount + 1 }, expiresAt });
    },
    () => {
      const storedTrace = randomTrace();
      if (storedTrace !== undefined && isAlive(storedTrace)) commit(storedTrace, null);
    },
    // Moved to another start: a tombstone in the old place, a row in the new one.
    () => {
      const storedTrace = randomTrace();
      if (storedTrace === undefined || !isAlive(storedTrace)) return;
      const startedAt = instantAt(start + random.below(5 * 3600) * 1000);
      if (startedAt === storedTrace.row.startedAt) return;
      const moved = { ...storedTrace, row: { ...storedTrace.row, startedAt } };
      commit(storedTrace, null);
      commit(null, moved);
    },
    () => {
      const storedTrace = randomTrace();
      if (storedTrace === undefined || !isAlive(storedTrace)) return;
      const sessionId = storedTrace.row.sessionId === session ? otherSession : session;
      commit(storedTrace, { ...storedTrace, row: { ...storedTrace.row, sessionId } });
    },
    // Expired rows are removed at some later time.
    () => {
      const expiredTrace = [...table.values()].find((storedTrace) => !isAlive(storedTrace));
      if (expiredTrace !== undefined) commit(expiredTrace, null);
    },
  ];

  /** Applies the due changes to the index in the order of their commits. */
  const index = async (until: number): Promise<void> => {
    const due = indexing.filter(({ indexedAt }) => indexedAt <= until);
    indexing = indexing.filter((change) => !due.includes(change));
    for (const { before, after } of due) {
      if (after !== null) await writeRows(database, project, [after.row], after.expiresAt);
      else if (before !== null) await deleteRow(database, rowKey(project, before.row.traceId, before.row));
    }
  };

  const removeChangedSegments = (connection: Database, changes: readonly Change[]): Promise<void> =>
    changedSegments(connection)(
      sessionChanges(
        changes.map((change) => recordOf(project, change)),
        at,
      ),
    );

  /** Delivers a batch of a shard; the delivery may fail midway or be repeated. */
  const deliver = async (): Promise<void> => {
    const shard = stream[random.below(shards)] ?? [];
    const batch = shard.slice(0, random.between(1, 5));
    if (batch.length === 0) return;
    let remainingCalls = random.chance(0.2) ? random.between(1, 4) : Infinity;
    const connection = faultyDatabase(database, () => {
      remainingCalls -= 1;
      return remainingCalls < 0 ? "crash-before" : null;
    });
    const isDelivered = await removeChangedSegments(connection, batch).then(
      () => true,
      () => false,
    );
    if (isDelivered && random.chance(0.8)) shard.splice(0, batch.length);
  };

  const pass = async (milliseconds: number): Promise<void> => {
    at += milliseconds;
    await index(at);
  };

  const write = (): void => writes[random.below(writes.length)]?.();

  const step = async (): Promise<void> => {
    const choice = random.below(10);
    if (choice < 4) write();
    else if (choice < 8) await deliver();
    else await pass(random.between(1, 2_000));
  };

  const oneByOne = semaphore(1);
  /** Performs random steps in the middle of a read, one read at a time. */
  const disturb = (extraWork: () => Promise<void>): Promise<void> =>
    oneByOne(async () => {
      for (let steps = random.below(3); steps > 0; steps -= 1) await step();
      if (random.chance(0.2)) await extraWork();
    });

  const sizes = { small: 6, segment: 6, tail: 2 };
  const [pages, segments] = [sessionRowPages(database, now), sessionSegments(database, now)];
  const readSession = sessionSummary(pages, segments, now, sizes);
  const read = (limit = 5, offset = 0) => readSession(project, session, limit, offset);

  /** Reads the session while other changes and reads happen. */
  const readWhileChanging = (): Promise<unknown> => {
    const meanwhile = () => disturb(async () => void (await read()));
    const hooked =
      <Parameters extends readonly unknown[], Result>(work: (...parameters: Parameters) => Promise<Result>) =>
      async (...parameters: Parameters): Promise<Result> => {
        await meanwhile();
        const result = await work(...parameters);
        await meanwhile();
        return result;
      };
    const { head, list, create, saveSum } = segments;
    const parts = { head: hooked(head), list: hooked(list), create: hooked(create), saveSum: hooked(saveSum) };
    return sessionSummary(hooked(pages), parts, now, sizes)(project, session, 5, 0);
  };

  return {
    project,
    write,
    step,
    pass,
    read,
    disturbed: readWhileChanging,
    /** Applies all pending changes to the index and delivers the whole stream. */
    settle: async (): Promise<void> => {
      await index(Infinity);
      at += maxLag;
      for (const shard of stream) await removeChangedSegments(database, shard.splice(0));
    },
    /** The expected session and trace ids, computed from the table. */
    expectedSession: () => {
      const rows = livingTraces().map(({ row }) => new PackedTrace(rowKey(project, row.traceId, row).sk, packRow(row)));
      const sorted = rows.toSorted((a, b) => Buffer.compare(a.key, b.key));
      const sum = new SessionSum(session);
      for (const row of sorted) sum.add(row);
      return { session: sum.session(), ids: sorted.map(({ traceId }) => traceId) };
    },
  };
};
