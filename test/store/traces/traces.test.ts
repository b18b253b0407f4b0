import { randomUUID } from "node:crypto";
import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import * as v from "valibot";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mergeTrace } from "../../../lib/domain/traces/merge.ts";
import type { IdentifiedTrace } from "../../../lib/domain/traces/input.ts";
import type { Trace } from "../../../lib/domain/traces/trace.ts";
import { traceList } from "../../../lib/store/traces/lists/list.ts";
import { bodyPartition, rowKey } from "../../../lib/store/traces/keys.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { identifiedTraces } from "../../support/traces/arbitrary-traces.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import type { Decide } from "../../support/faults/fault-kind.ts";
import { gate } from "../../support/service/gate.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { commitsRow, isOn, once, watchedDatabase } from "../../support/database/watched-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const read = async (project: string, id: string): Promise<Trace | undefined> =>
  (await traceReader(database).get(project, id))?.trace;

const listed = async (project: string): Promise<readonly string[]> =>
  (await traceList(database).page(project, 100, 0)).rows.map(({ traceId }) => traceId);

const spanOf = (span_id: string) => ({ span_id, name: span_id, started_at: "2026-10-01T10:00:01+00:00" });

test("a stored trace is read back as it was sent", async () => {
  const [project, sent] = [
    randomUUID(),
    someTrace({ tags: ["b", "a"], metadata: { k: JSON.rawJSON("9007199254740993") } }),
  ];

  await traceStore(database, 0).save(project, sent);

  expect(JSON.stringify(await read(project, sent.trace_id))).toBe(JSON.stringify(mergeTrace(null, sent)));
});

test("a trace of another project is not found under the same id", async () => {
  const sent = someTrace();

  await traceStore(database, 0).save(randomUUID(), sent);

  expect(await read(randomUUID(), sent.trace_id)).toBeUndefined();
});

test("a trace sent again is merged into the one that is there", async () => {
  const [project, first] = [randomUUID(), someTrace({ tags: ["a"], metadata: { a: 1 } })];
  const second: IdentifiedTrace = { ...first, output: null, tags: ["b"], metadata: { b: 2 }, spans: [spanOf("late")] };
  const store = traceStore(database, 0);

  await store.save(project, first);
  await store.save(project, second);

  expect(await read(project, first.trace_id)).toEqual(mergeTrace(mergeTrace(null, first), second));
});

test("a second delivery of the same body writes nothing", async () => {
  const watched = watchedDatabase(database);
  const [project, sent] = [randomUUID(), someTrace({ metadata: { big: JSON.rawJSON("9007199254740993") } })];
  const store = traceStore(watched, 0);
  await store.save(project, sent);
  watched.calls.length = 0;

  await store.save(project, sent);

  expect(watched.calls.map(({ operation }) => operation)).toEqual(["GetItem", "GetItem"]);
  expect((await traceReader(database).get(project, sent.trace_id))?.row.version).toBe(1);
});

test.each(["2026-10-01T10:00:00+00:00", "2026-10-02T10:00:00+00:00"])(
  "a slow writer whose claim was taken over by one that starts at %s cannot commit afterwards",
  async (started_at) => {
    const [project, slow] = [randomUUID(), someTrace({ name: "slow" })];
    const held = gate();
    const slowDatabase = faultyDatabase(database, async (call) => {
      if (commitsRow(call)) await held.pass();
      return null;
    });
    const saving = traceStore(slowDatabase, 0).save(project, slow);
    await held.reached;

    await traceStore(database, 0).save(project, { ...slow, name: "fast", started_at });
    const taken = await read(project, slow.trace_id);
    held.open();
    await saving;

    // The slow writer comes too late to insert, and merges.
    expect(taken?.name).toBe("fast");
    expect((await read(project, slow.trace_id))?.name).toBe("slow");
    expect((await traceReader(database).get(project, slow.trace_id))?.row.version).toBe(2);
    expect(await listed(project)).toEqual([slow.trace_id]);
  },
);

test("a slow writer cannot commit where a trace once lay that has moved since", async () => {
  const [project, slow] = [randomUUID(), someTrace({ name: "slow" })];
  const held = gate();
  const slowDatabase = faultyDatabase(database, async (call) => {
    if (commitsRow(call)) await held.pass();
    return null;
  });
  const saving = traceStore(slowDatabase, 0).save(project, slow);
  await held.reached;

  const store = traceStore(database, 0);
  await store.save(project, { ...slow, name: "fast" });
  await store.save(project, { ...slow, name: "moved", started_at: "2026-10-03T10:00:00+00:00" });
  held.open();
  await saving;

  expect((await read(project, slow.trace_id))?.name).toBe("slow");
  expect(await listed(project)).toEqual([slow.trace_id]);
});

test("a trace whose start changes moves in the list and is there once", async () => {
  const [project, sent] = [randomUUID(), someTrace()];
  const store = traceStore(database, 0);

  await store.save(project, sent);
  await store.save(project, { ...sent, started_at: "2026-09-01T10:00:00+00:00" });
  await store.save(project, sent);
  await store.save(project, { ...sent, started_at: "2026-09-01T10:00:00+00:00" });

  expect((await read(project, sent.trace_id))?.started_at).toBe("2026-09-01T10:00:00+00:00");
  expect(await listed(project)).toEqual([sent.trace_id]);
});

test.each<[string, (project: string) => Promise<string>]>([
  [
    "an insert",
    async (project) => {
      const sent = someTrace();
      await traceStore(faultyDatabase(database, once(commitsRow, "timeout-after")), 0).save(project, sent);
      return sent.trace_id;
    },
  ],
  [
    "a change",
    async (project) => {
      const sent = someTrace();
      await traceStore(database, 0).save(project, sent);
      const faulty = faultyDatabase(database, once(commitsRow, "timeout-after"));
      await traceStore(faulty, 0).save(project, { ...sent, spans: [spanOf("late")] });
      return sent.trace_id;
    },
  ],
  [
    "a move",
    async (project) => {
      const sent = someTrace();
      await traceStore(database, 0).save(project, sent);
      const lost: Decide = once(({ operation }) => operation === "TransactWriteItems", "timeout-after");
      const moved = { ...sent, started_at: "2026-09-01T10:00:00+00:00" };
      await traceStore(faultyDatabase(database, lost), 0).save(project, moved);
      return sent.trace_id;
    },
  ],
])("%s whose answer was lost and that the SDK repeats keeps what it wrote", async (_, save) => {
  const project = randomUUID();

  const id = await save(project);

  expect((await read(project, id))?.trace_id).toBe(id);
  expect(await listed(project)).toEqual([id]);
});

test("a writer that reads while another moves the trace does not take it for uncommitted", async () => {
  const [project, sent] = [randomUUID(), someTrace()];
  await traceStore(database, 0).save(project, sent);
  const held = gate();
  const slowDatabase = faultyDatabase(database, async (call) => {
    if (isOn("GetItem", "rows")(call)) await held.pass();
    return null;
  });
  const saving = traceStore(slowDatabase, 0).save(project, { ...sent, spans: [spanOf("late")] });
  const reading = traceReader(slowDatabase).get(project, sent.trace_id);
  await held.reached;

  const moved = { ...sent, spans: [spanOf("early")], started_at: "2026-09-01T10:00:00+00:00" };
  await traceStore(database, 0).save(project, moved);
  held.open();
  await saving;

  const spans = (await read(project, sent.trace_id))?.spans.map(({ span_id }) => span_id);
  expect(spans).toEqual(expect.arrayContaining(["early", "late"]));
  expect(await reading).not.toBeNull();
  expect(await listed(project)).toEqual([sent.trace_id]);
});

test.each([false, true])(
  "a writer that comes too late to take an id over leaves the trace that was committed (moved: %s)",
  async (moves) => {
    const [project, sent] = [randomUUID(), someTrace({ spans: [spanOf("first")] })];
    const [committing, taking] = [gate(), gate()];
    const first = faultyDatabase(database, async (call) => {
      if (commitsRow(call)) await committing.pass();
      return null;
    });
    const second = faultyDatabase(database, async (call) => {
      if (isOn("PutItem", "rows")(call)) await taking.pass();
      return null;
    });
    const firstSave = traceStore(first, 0).save(project, sent);
    await committing.reached;
    const secondSave = traceStore(second, 0).save(project, { ...sent, spans: [spanOf("second")] });
    await taking.reached;

    committing.open();
    await firstSave;
    if (moves) await traceStore(database, 0).save(project, { ...sent, started_at: "2026-09-01T10:00:00+00:00" });
    taking.open();
    await secondSave;

    const spans = (await read(project, sent.trace_id))?.spans.map(({ span_id }) => span_id);
    expect(spans).toEqual(["first", "second"]);
    expect(await listed(project)).toEqual([sent.trace_id]);
  },
);

test("a large trace is not there before its last part is", async () => {
  const noise = Array.from({ length: 60_000 }, () => randomUUID()).join("");
  const [project, sent, held] = [randomUUID(), someTrace({ input: noise }), gate()];
  let parts = 0;
  const slow = faultyDatabase(database, async (call) => {
    if (isOn("PutItem", "bodies")(call)) parts += 1;
    if (parts === 2) await held.pass();
    return null;
  });
  const saving = traceStore(slow, 0).save(project, sent);
  await held.reached;

  expect(await read(project, sent.trace_id)).toBeUndefined();
  expect(await listed(project)).toEqual([]);
  held.open();
  await saving;
  expect((await read(project, sent.trace_id))?.input).toBe(noise);
});

/** What is put at a row's place and is a row, no fence. */
const committed = v.object({ Item: v.object({ d: v.unknown() }) });

test("a writer that meets a claim whose owner is on the way leaves it to the owner", async () => {
  const [project, sent] = [randomUUID(), someTrace({ spans: [spanOf("first")] })];
  const committing = gate();
  const slow = faultyDatabase(database, async (call) => {
    if (commitsRow(call)) await committing.pass();
    return null;
  });
  const owner = traceStore(slow, 0).save(project, sent);
  await committing.reached;
  let [looks, fences] = [0, 0];
  const other = faultyDatabase(database, async (call) => {
    if (isOn("PutItem", "rows")(call) && !v.is(committed, call.input)) fences += 1;
    if (isOn("GetItem", "rows")(call)) looks += 1;
    if (looks === 4) {
      committing.open();
      await owner;
    }
    return null;
  });

  await traceStore(other, 0).save(project, { ...sent, spans: [spanOf("second")] });

  expect([looks >= 4, fences]).toEqual([true, 0]);
  expect((await read(project, sent.trace_id))?.spans.map(({ span_id }) => span_id)).toEqual(["first", "second"]);
});

test("twenty writers at once all get their spans in", async () => {
  const [project, sent] = [randomUUID(), someTrace({ spans: [] })];
  const names = Array.from({ length: 20 }, (_, index) => `span ${index}`);

  await Promise.all(names.map((name) => traceStore(database, 0).save(project, { ...sent, spans: [spanOf(name)] })));

  const spans = (await read(project, sent.trace_id))?.spans.map(({ span_id }) => span_id);
  expect(new Set(spans)).toEqual(new Set(names));
  expect(await listed(project)).toEqual([sent.trace_id]);
});

test("a trace that came in many pieces is put together and stays whole", async () => {
  const [project, sent] = [randomUUID(), someTrace({ spans: [] })];
  const store = traceStore(database, 0);

  for (let index = 0; index < 70; index += 1) await store.save(project, { ...sent, spans: [spanOf(`span ${index}`)] });

  const stored = await traceReader(database).get(project, sent.trace_id);
  expect(stored?.trace.spans.map(({ span_id }) => span_id)).toEqual(
    Array.from({ length: 70 }, (_, at) => `span ${at}`),
  );
  expect(stored?.row.pieces.length).toBeLessThanOrEqual(49);
  const { Count } = await database.client.send(
    new QueryCommand({
      TableName: "bodies",
      KeyConditionExpression: "pk = :pk AND sk >= :part",
      ExpressionAttributeValues: { ":pk": bodyPartition(project, sent.trace_id), ":part": "part#" },
    }),
  );
  expect(Count).toBe(stored?.row.pieces.length);
});

test("a trace larger than one item is stored in parts", async () => {
  const noise = Array.from({ length: 60_000 }, () => randomUUID()).join("");
  const [project, sent] = [randomUUID(), someTrace({ input: noise })];

  await traceStore(database, 0).save(project, sent);

  expect((await read(project, sent.trace_id))?.input).toBe(noise);
});

test("more than 10,000 spans are refused, and nothing of them is stored", async () => {
  const spans = Array.from({ length: 10_001 }, (_, index) => spanOf(`span ${index}`));
  const [project, sent] = [randomUUID(), someTrace({ spans })];

  await expect(traceStore(database, 0).save(project, sent)).rejects.toMatchObject({ reason: { kind: "too-large" } });
  expect(await read(project, sent.trace_id)).toBeUndefined();
});

test("an expired trace is gone from every read, and its id can live again", async () => {
  const day = 86_400_000;
  let at = Date.parse("2026-10-01T12:00:00Z");
  const now = (): number => at;
  const [project, sent] = [randomUUID(), someTrace({ name: "first life" })];
  const store = traceStore(database, 2, now);
  const ids = async () => (await traceList(database, now).page(project, 10, 0)).rows.map(({ traceId }) => traceId);
  await store.save(project, sent);

  at = Date.parse("2026-10-03T23:59:59Z");
  expect((await traceReader(database, now).get(project, sent.trace_id))?.trace.name).toBe("first life");
  at += day;
  expect(await traceReader(database, now).get(project, sent.trace_id)).toBeNull();
  expect(await ids()).toEqual([]);

  await store.save(project, { ...sent, name: "second life", output: null });
  const again = await traceReader(database, now).get(project, sent.trace_id);
  expect(again?.trace).toMatchObject({ name: "second life", output: null });
  expect(await ids()).toEqual([sent.trace_id]);
});

test("a fence against a slow writer is no trace", async () => {
  const [project, sent] = [randomUUID(), someTrace()];
  const dying = faultyDatabase(database, once(commitsRow, "crash-before"));
  await expect(traceStore(dying, 0).save(project, sent)).rejects.toThrow("died");
  expect(await read(project, sent.trace_id)).toBeUndefined();

  await traceStore(database, 0).save(project, { ...sent, started_at: "2026-10-02T10:00:00+00:00" });

  const { Item } = await database.client.send(
    new GetCommand({ TableName: "rows", Key: rowKey(project, sent.trace_id, sent.started_at) }),
  );
  expect(Item).toBeDefined();
  expect(await listed(project)).toEqual([sent.trace_id]);
});

test("any updates, one after the other, give what the merge says", async () => {
  const updates = fc.array(identifiedTraces("11111111-1111-4111-8111-111111111111"), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(updates, async (sent) => {
      const project = randomUUID();
      for (const one of sent) await traceStore(database, 0).save(project, one);
      const expected = sent.reduce<Trace | null>(mergeTrace, null);
      expect(JSON.stringify(await read(project, expected?.trace_id ?? ""))).toBe(JSON.stringify(expected));
    }),
    { numRuns: 25 },
  );
});
