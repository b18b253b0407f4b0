import { randomUUID } from "node:crypto";
import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import * as v from "valibot";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mergeTrace } from "../../../lib/domain/traces/merge.ts";
import type { IdentifiedTrace } from "../../../lib/domain/traces/input.ts";
import type { Trace } from "../../../lib/domain/traces/trace.ts";
import { traceList } from "../../../lib/store/traces/lists/list.ts";
import { bodyPartition, rowKeyIn } from "../../../lib/store/traces/keys.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { identifiedTraces } from "../../support/traces/arbitrary-traces.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import type { Decide } from "../../support/faults/fault-kind.ts";
import { pausePoint } from "../../support/service/pause-point.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { commitsRow, isOn, once, pauseAt, watchedDatabase } from "../../support/database/watched-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const readTrace = async (project: string, id: string): Promise<Trace | undefined> =>
  (await traceReader(database).get(project, id))?.trace;

const listIds = async (project: string): Promise<readonly string[]> =>
  (await traceList(database).page(project, 100, 0)).rows.map(({ traceId }) => traceId);

const spanOf = (span_id: string) => ({ span_id, name: span_id, started_at: "2026-10-01T10:00:01+00:00" });

test("a stored trace is read as it was sent", async () => {
  const [project, trace] = [
    randomUUID(),
    someTrace({ tags: ["b", "a"], metadata: { k: JSON.rawJSON("9007199254740993") } }),
  ];

  await traceStore(database, 0).save(project, trace);

  expect(JSON.stringify(await readTrace(project, trace.trace_id))).toBe(JSON.stringify(mergeTrace(null, trace)));
});

test("a trace of another project is not found", async () => {
  const trace = someTrace();

  await traceStore(database, 0).save(randomUUID(), trace);

  expect(await readTrace(randomUUID(), trace.trace_id)).toBeUndefined();
});

test("a trace that is sent again is merged into the stored one", async () => {
  const [project, first] = [randomUUID(), someTrace({ tags: ["a"], metadata: { a: 1 } })];
  const second: IdentifiedTrace = { ...first, output: null, tags: ["b"], metadata: { b: 2 }, spans: [spanOf("late")] };
  const store = traceStore(database, 0);

  await store.save(project, first);
  await store.save(project, second);

  expect(await readTrace(project, first.trace_id)).toEqual(mergeTrace(mergeTrace(null, first), second));
});

test("a second delivery of the same body writes nothing", async () => {
  const watched = watchedDatabase(database);
  const [project, trace] = [randomUUID(), someTrace({ metadata: { big: JSON.rawJSON("9007199254740993") } })];
  const store = traceStore(watched, 0);
  await store.save(project, trace);
  watched.calls.length = 0;

  await store.save(project, trace);

  expect(watched.calls.map(({ operation }) => operation)).toEqual(["GetItem", "GetItem"]);
  expect((await traceReader(database).get(project, trace.trace_id))?.row.version).toBe(1);
});

test.each(["2026-10-01T10:00:00+00:00", "2026-10-02T10:00:00+00:00"])(
  "a slow writer cannot commit a new trace after another writer, which starts it at %s, has stored it",
  async (started_at) => {
    const [project, slow] = [randomUUID(), someTrace({ name: "slow" })];
    const commitGate = pauseAt(commitsRow);
    const slowDatabase = faultyDatabase(database, commitGate.decide);
    const saving = traceStore(slowDatabase, 0).save(project, slow);
    await commitGate.reached;

    await traceStore(database, 0).save(project, { ...slow, name: "fast", started_at });
    const takenOver = await readTrace(project, slow.trace_id);
    commitGate.open();
    await saving;

    // The slow writer is too late to insert the trace, and merges into it.
    expect(takenOver?.name).toBe("fast");
    expect((await readTrace(project, slow.trace_id))?.name).toBe("slow");
    expect((await traceReader(database).get(project, slow.trace_id))?.row.version).toBe(2);
    expect(await listIds(project)).toEqual([slow.trace_id]);
  },
);

test("a slow writer cannot commit at a place from which its trace has moved", async () => {
  const [project, slow] = [randomUUID(), someTrace({ name: "slow" })];
  const commitGate = pauseAt(commitsRow);
  const slowDatabase = faultyDatabase(database, commitGate.decide);
  const saving = traceStore(slowDatabase, 0).save(project, slow);
  await commitGate.reached;

  const store = traceStore(database, 0);
  await store.save(project, { ...slow, name: "fast" });
  await store.save(project, { ...slow, name: "moved", started_at: "2026-10-03T10:00:00+00:00" });
  commitGate.open();
  await saving;

  expect((await readTrace(project, slow.trace_id))?.name).toBe("slow");
  expect(await listIds(project)).toEqual([slow.trace_id]);
});

test("a trace whose start changes moves in the list and is listed once", async () => {
  const [project, trace] = [randomUUID(), someTrace()];
  const store = traceStore(database, 0);

  await store.save(project, trace);
  await store.save(project, { ...trace, started_at: "2026-09-01T10:00:00+00:00" });
  await store.save(project, trace);
  await store.save(project, { ...trace, started_at: "2026-09-01T10:00:00+00:00" });

  expect((await readTrace(project, trace.trace_id))?.started_at).toBe("2026-09-01T10:00:00+00:00");
  expect(await listIds(project)).toEqual([trace.trace_id]);
});

test.each<[string, (project: string) => Promise<string>]>([
  [
    "an insert",
    async (project) => {
      const trace = someTrace();
      await traceStore(faultyDatabase(database, once(commitsRow, "timeout-after")), 0).save(project, trace);
      return trace.trace_id;
    },
  ],
  [
    "a change",
    async (project) => {
      const trace = someTrace();
      await traceStore(database, 0).save(project, trace);
      const faulty = faultyDatabase(database, once(commitsRow, "timeout-after"));
      await traceStore(faulty, 0).save(project, { ...trace, spans: [spanOf("late")] });
      return trace.trace_id;
    },
  ],
  [
    "a move",
    async (project) => {
      const trace = someTrace();
      await traceStore(database, 0).save(project, trace);
      const lost: Decide = once(({ operation }) => operation === "TransactWriteItems", "timeout-after");
      const moved = { ...trace, started_at: "2026-09-01T10:00:00+00:00" };
      await traceStore(faultyDatabase(database, lost), 0).save(project, moved);
      return trace.trace_id;
    },
  ],
])("%s whose answer was lost and that the SDK retries keeps its content", async (_, save) => {
  const project = randomUUID();

  const id = await save(project);

  expect((await readTrace(project, id))?.trace_id).toBe(id);
  expect(await listIds(project)).toEqual([id]);
});

test("a reader of a trace that moves concurrently does not treat it as uncommitted", async () => {
  const [project, trace] = [randomUUID(), someTrace()];
  await traceStore(database, 0).save(project, trace);
  const readGate = pauseAt(isOn("GetItem", "rows"));
  const slowDatabase = faultyDatabase(database, readGate.decide);
  const saving = traceStore(slowDatabase, 0).save(project, { ...trace, spans: [spanOf("late")] });
  const reading = traceReader(slowDatabase).get(project, trace.trace_id);
  await readGate.reached;

  const moved = { ...trace, spans: [spanOf("early")], started_at: "2026-09-01T10:00:00+00:00" };
  await traceStore(database, 0).save(project, moved);
  readGate.open();
  await saving;

  const spans = (await readTrace(project, trace.trace_id))?.spans.map(({ span_id }) => span_id);
  expect(spans).toEqual(expect.arrayContaining(["early", "late"]));
  expect(await reading).not.toBeNull();
  expect(await listIds(project)).toEqual([trace.trace_id]);
});

test.each([false, true])(
  "a writer that is too late to take over an id merges into the committed trace (moved: %s)",
  async (moves) => {
    const [project, trace] = [randomUUID(), someTrace({ spans: [spanOf("first")] })];
    const [committing, taking] = [pausePoint(), pausePoint()];
    const first = faultyDatabase(database, async (call) => {
      if (commitsRow(call)) await committing.pass();
      return null;
    });
    const second = faultyDatabase(database, async (call) => {
      if (isOn("PutItem", "rows")(call)) await taking.pass();
      return null;
    });
    const firstSave = traceStore(first, 0).save(project, trace);
    await committing.reached;
    const secondSave = traceStore(second, 0).save(project, { ...trace, spans: [spanOf("second")] });
    await taking.reached;

    committing.open();
    await firstSave;
    if (moves) await traceStore(database, 0).save(project, { ...trace, started_at: "2026-09-01T10:00:00+00:00" });
    taking.open();
    await secondSave;

    const spans = (await readTrace(project, trace.trace_id))?.spans.map(({ span_id }) => span_id);
    expect(spans).toEqual(["first", "second"]);
    expect(await listIds(project)).toEqual([trace.trace_id]);
  },
);

test("a large trace is invisible until its last part is stored", async () => {
  const noise = Array.from({ length: 60_000 }, () => randomUUID()).join("");
  const [project, trace, partGate] = [randomUUID(), someTrace({ input: noise }), pausePoint()];
  let parts = 0;
  const slow = faultyDatabase(database, async (call) => {
    if (isOn("PutItem", "bodies")(call)) parts += 1;
    if (parts === 2) await partGate.pass();
    return null;
  });
  const saving = traceStore(slow, 0).save(project, trace);
  await partGate.reached;

  expect(await readTrace(project, trace.trace_id)).toBeUndefined();
  expect(await listIds(project)).toEqual([]);
  partGate.open();
  await saving;
  expect((await readTrace(project, trace.trace_id))?.input).toBe(noise);
});

/** The shape of a request that writes a row, not a tombstone. */
const committed = v.object({ Item: v.object({ d: v.unknown() }) });

test("a writer that meets another writer's unfinished trace waits for that writer", async () => {
  const [project, trace] = [randomUUID(), someTrace({ spans: [spanOf("first")] })];
  const committing = pauseAt(commitsRow);
  const slow = faultyDatabase(database, committing.decide);
  const owner = traceStore(slow, 0).save(project, trace);
  await committing.reached;
  let [rowReads, tombstones] = [0, 0];
  const otherDb = faultyDatabase(database, async (call) => {
    if (isOn("PutItem", "rows")(call) && !v.is(committed, call.input)) tombstones += 1;
    if (isOn("GetItem", "rows")(call)) rowReads += 1;
    if (rowReads === 4) {
      committing.open();
      await owner;
    }
    return null;
  });

  await traceStore(otherDb, 0).save(project, { ...trace, spans: [spanOf("second")] });

  expect([rowReads >= 4, tombstones]).toEqual([true, 0]);
  expect((await readTrace(project, trace.trace_id))?.spans.map(({ span_id }) => span_id)).toEqual(["first", "second"]);
});

test("twenty concurrent writers of a trace all store their spans", async () => {
  const [project, trace] = [randomUUID(), someTrace({ spans: [] })];
  const names = Array.from({ length: 20 }, (_, index) => `span ${index}`);

  await Promise.all(names.map((name) => traceStore(database, 0).save(project, { ...trace, spans: [spanOf(name)] })));

  const spans = (await readTrace(project, trace.trace_id))?.spans.map(({ span_id }) => span_id);
  expect(new Set(spans)).toEqual(new Set(names));
  expect(await listIds(project)).toEqual([trace.trace_id]);
});

test("a document of many pieces is merged and stays complete", async () => {
  const [project, trace] = [randomUUID(), someTrace({ spans: [] })];
  const store = traceStore(database, 0);

  for (let index = 0; index < 70; index += 1) await store.save(project, { ...trace, spans: [spanOf(`span ${index}`)] });

  const located = await traceReader(database).get(project, trace.trace_id);
  expect(located?.trace.spans.map(({ span_id }) => span_id)).toEqual(
    Array.from({ length: 70 }, (_, at) => `span ${at}`),
  );
  expect(located?.row.pieces.length).toBeLessThanOrEqual(49);
  const { Count } = await database.client.send(
    new QueryCommand({
      TableName: "bodies",
      KeyConditionExpression: "pk = :pk AND sk >= :part",
      ExpressionAttributeValues: { ":pk": bodyPartition(project, trace.trace_id), ":part": "part#" },
    }),
  );
  expect(Count).toBe(located?.row.pieces.length);
});

test("a trace larger than one item is stored in parts", async () => {
  const noise = Array.from({ length: 60_000 }, () => randomUUID()).join("");
  const [project, trace] = [randomUUID(), someTrace({ input: noise })];

  await traceStore(database, 0).save(project, trace);

  expect((await readTrace(project, trace.trace_id))?.input).toBe(noise);
});

test("a trace with more than 10,000 spans is refused, and nothing of it is stored", async () => {
  const spans = Array.from({ length: 10_001 }, (_, index) => spanOf(`span ${index}`));
  const [project, trace] = [randomUUID(), someTrace({ spans })];

  await expect(traceStore(database, 0).save(project, trace)).rejects.toMatchObject({ reason: { kind: "too-large" } });
  expect(await readTrace(project, trace.trace_id)).toBeUndefined();
});

test("an expired trace disappears from every read, and its id can be used again", async () => {
  const day = 86_400_000;
  let at = Date.parse("2026-10-01T12:00:00Z");
  const now = (): number => at;
  const [project, trace] = [randomUUID(), someTrace({ name: "first life" })];
  const store = traceStore(database, 2, now);
  const ids = async () => (await traceList(database, now).page(project, 10, 0)).rows.map(({ traceId }) => traceId);
  await store.save(project, trace);

  at = Date.parse("2026-10-03T23:59:59Z");
  expect((await traceReader(database, now).get(project, trace.trace_id))?.trace.name).toBe("first life");
  at += day;
  expect(await traceReader(database, now).get(project, trace.trace_id)).toBeNull();
  expect(await ids()).toEqual([]);

  await store.save(project, { ...trace, name: "second life", output: null });
  const secondTrace = await traceReader(database, now).get(project, trace.trace_id);
  expect(secondTrace?.trace).toMatchObject({ name: "second life", output: null });
  expect(await ids()).toEqual([trace.trace_id]);
});

test("a tombstone against a slow writer is not listed as a trace", async () => {
  const [project, trace] = [randomUUID(), someTrace()];
  const dying = faultyDatabase(database, once(commitsRow, "crash-before"));
  await expect(traceStore(dying, 0).save(project, trace)).rejects.toThrow("died");
  expect(await readTrace(project, trace.trace_id)).toBeUndefined();

  await traceStore(database, 0).save(project, { ...trace, started_at: "2026-10-02T10:00:00+00:00" });

  const { Item } = await database.client.send(
    new GetCommand({ TableName: "rows", Key: rowKeyIn(project, trace.trace_id, trace.started_at, 0) }),
  );
  expect(Item).toBeDefined();
  expect(await listIds(project)).toEqual([trace.trace_id]);
});

test("any sequence of updates gives the result of the merge function", async () => {
  const updates = fc.array(identifiedTraces("11111111-1111-4111-8111-111111111111"), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(updates, async (sentTraces) => {
      const project = randomUUID();
      for (const sentTrace of sentTraces) await traceStore(database, 0).save(project, sentTrace);
      const expected = sentTraces.reduce<Trace | null>(mergeTrace, null);
      expect(JSON.stringify(await readTrace(project, expected?.trace_id ?? ""))).toBe(JSON.stringify(expected));
    }),
    { numRuns: 25 },
  );
});
