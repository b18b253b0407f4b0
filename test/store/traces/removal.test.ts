import { randomUUID } from "node:crypto";
import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { traceFilter } from "../../../lib/domain/traces/filter.ts";
import type { Database } from "../../../lib/store/database.ts";
import { scoreItems } from "../../../lib/store/scores/codec.ts";
import { traceList } from "../../../lib/store/traces/lists/list.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceRemoval } from "../../../lib/store/traces/removal.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { gate } from "../../support/service/gate.ts";
import { itemsOf, purge, purgeAll } from "../../support/traces/purge.ts";
import { someScore } from "../../support/scores.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { commitsRow, isOn, once, watchedDatabase } from "../../support/database/watched-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const spanOf = (span_id: string) => ({ span_id, name: span_id, started_at: "2026-10-01T10:00:01+00:00" });
/** Too much for one part. */
const noise = (): string => Array.from({ length: 25_000 }, () => randomUUID()).join("");

/** Stores a trace whose document lies in several pieces. @returns its id and incarnation. */
const stored = async (project: string, given: Parameters<typeof someTrace>[0] = {}) => {
  const sent = someTrace({ spans: [spanOf("first")], ...given });
  const store = traceStore(database, 0);
  await store.save(project, sent);
  await store.addSpans(project, sent.trace_id, [spanOf("second")]);
  const found = await traceReader(database).get(project, sent.trace_id);
  return { sent, id: sent.trace_id, incarnation: found?.row.incarnation ?? "" };
};

const addScore = async (project: string, trace: string, incarnation: string): Promise<void> => {
  const score = someScore({ project_id: project, trace_id: trace });
  const TransactItems = scoreItems(score, { incarnation, expiresAt: null }).map((Item) => ({
    Put: { TableName: "scores", Item },
  }));
  await database.client.send(new TransactWriteCommand({ TransactItems }));
};

const names = async (project: string, id: string): Promise<readonly string[] | undefined> =>
  (await traceReader(database).get(project, id))?.trace.spans.map(({ span_id }) => span_id);

test("a deleted trace is gone from every read at once", async () => {
  const [project, other] = [randomUUID(), randomUUID()];
  const { id, sent } = await stored(project);
  await traceStore(database, 0).save(other, sent);

  const removed = await traceRemoval(database).remove(project, id);

  expect(removed).toBe(true);
  expect(await traceReader(database).get(project, id)).toBeNull();
  expect(await traceReader(database).locate(project, id)).toBeNull();
  expect(await traceStore(database, 0).addSpans(project, id, [spanOf("x")])).toBe(false);
  expect((await traceList(database).page(project, 10, 0)).rows).toEqual([]);
  const matching: string[] = [];
  await traceList(database).matching(project, traceFilter({}), ({ traceId }) => void matching.push(traceId));
  expect(matching).toEqual([]);
  expect((await traceReader(database).get(other, id))?.trace.name).toBe(sent.name);
});

test("a trace that is not there cannot be deleted, and nothing is written for it", async () => {
  const watched = watchedDatabase(database);

  expect(await traceRemoval(watched).remove(randomUUID(), randomUUID())).toBe(false);
  expect(watched.calls.filter(({ operation }) => operation !== "GetItem")).toEqual([]);
});

test("of several deletions at once one is told that it was the one", async () => {
  const project = randomUUID();
  const { id } = await stored(project);

  const removed = await Promise.all(Array.from({ length: 8 }, () => traceRemoval(database).remove(project, id)));

  expect(removed.filter(Boolean)).toHaveLength(1);
});

test("a deletion whose answer was lost and that the SDK repeats is told that it was the one", async () => {
  const project = randomUUID();
  const { id } = await stored(project);
  const faulty = faultyDatabase(database, once(commitsRow, "timeout-after"));

  expect(await traceRemoval(faulty).remove(project, id)).toBe(true);
});

test("a trace that moves while it is deleted is deleted where it went", async () => {
  const project = randomUUID();
  const { id, sent } = await stored(project);
  const held = gate();
  const slow = faultyDatabase(database, async (call) => {
    if (isOn("PutItem", "rows")(call)) await held.pass();
    return null;
  });
  const removing = traceRemoval(slow).remove(project, id);
  await held.reached;
  await traceStore(database, 0).save(project, { ...sent, started_at: "2026-09-01T10:00:00+00:00" });
  held.open();

  expect(await removing).toBe(true);
  expect(await traceReader(database).get(project, id)).toBeNull();
});

test("the purge leaves nothing of a deleted trace but the fence in its row's place", async () => {
  const project = randomUUID();
  const [{ id, incarnation }, kept] = [await stored(project, { input: noise() }), await stored(project)];
  await addScore(project, id, incarnation);
  await addScore(project, kept.id, kept.incarnation);
  await traceRemoval(database).remove(project, id);

  await purgeAll(database, project);

  const { rows, fences, bodies, scores } = await itemsOf(database, project);
  expect([rows.length, fences.length, scores.length]).toEqual([1, 1, 2]);
  expect(bodies.every(({ i }) => i === kept.incarnation)).toBe(true);
  expect(await names(project, kept.id)).toEqual(["first", "second"]);
});

test("a trace that is sent again after its deletion begins anew, and the purge of its former incarnation spares it", async () => {
  const project = randomUUID();
  const { id, sent, incarnation } = await stored(project);
  await addScore(project, id, incarnation);
  await traceRemoval(database).remove(project, id);
  await traceStore(database, 0).save(project, { ...sent, output: null, spans: [spanOf("new")] });
  const again = await traceReader(database).locate(project, id);
  await addScore(project, id, again?.row.incarnation ?? "");

  // The fence is gone from the row's place: the stream has told of it all the same.
  const removal = { kind: "trace", project, trace: id, incarnation } as const;
  await purge(database, removal);

  const found = await traceReader(database).get(project, id);
  expect(found?.trace).toMatchObject({ output: null, spans: [{ span_id: "new" }] });
  const { bodies, scores } = await itemsOf(database, project);
  expect([...bodies, ...scores].filter(({ i }) => i !== again?.row.incarnation)).toEqual([]);
  expect(scores).toHaveLength(2);
});

test("a trace that is sent again once its former incarnation is purged is stored", async () => {
  const project = randomUUID();
  const { id, sent } = await stored(project);
  await traceRemoval(database).remove(project, id);
  await purgeAll(database, project);

  await traceStore(database, 0).save(project, { ...sent, spans: [spanOf("new")] });

  expect(await names(project, id)).toEqual(["new"]);
  expect((await traceList(database).page(project, 10, 0)).rows.map(({ traceId }) => traceId)).toEqual([id]);
});

test.each<[string, (slow: Database, project: string, id: string) => Promise<unknown>]>([
  ["an append", (slow, project, id) => traceStore(slow, 0).addSpans(project, id, [spanOf("x")])],
  [
    "a patch",
    (slow, project, id) => traceStore(slow, 0).change(project, id, { kind: "trace-patch", update: { name: "x" } }),
  ],
])("%s that began before a deletion changes nothing once it is done", async (_, change) => {
  const project = randomUUID();
  const { id } = await stored(project);
  const held = gate();
  const slow = faultyDatabase(database, async (call) => {
    if (commitsRow(call)) await held.pass();
    return null;
  });
  const changing = change(slow, project, id);
  await held.reached;
  await traceRemoval(database).remove(project, id);
  held.open();

  expect((await changing) || null).toBeNull();
  expect(await traceReader(database).get(project, id)).toBeNull();
  await purgeAll(database, project);
  expect((await itemsOf(database, project)).bodies).toEqual([]);
});

test("a purge that is killed at any of its requests is finished by the next", async () => {
  for (let killed = 0, finished = false; !finished; killed += 1) {
    const project = randomUUID();
    const { id, incarnation } = await stored(project);
    await addScore(project, id, incarnation);
    await traceRemoval(database).remove(project, id);
    let requests = 0;
    const dying = faultyDatabase(database, () => {
      requests += 1;
      return requests === killed + 1 ? (killed % 2 === 0 ? "crash-after" : "crash-before") : null;
    });
    const removal = { kind: "trace", project, trace: id, incarnation } as const;
    await purge(dying, removal).catch(() => undefined);
    finished = !dying.crashed;

    await purge(database, removal);

    const { bodies, scores } = await itemsOf(database, project);
    expect([bodies, scores]).toEqual([[], []]);
  }
});
