import { randomUUID } from "node:crypto";
import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { IdentifiedTrace } from "../../../lib/domain/traces/input.ts";
import { sessionScoreItems } from "../../../lib/store/scores/codec.ts";
import { sessionRemoval } from "../../../lib/store/sessions/removal.ts";
import { traceList } from "../../../lib/store/traces/lists/list.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { pausePoint } from "../../support/service/pause-point.ts";
import { itemsOf, purge, purgeAll, removalsIn } from "../../support/traces/purge.ts";
import { someSessionScore } from "../../support/scores.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { isOn } from "../../support/database/watched-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const noon = Date.parse("2026-10-01T12:00:00Z");
const at = (seconds: number) => (): number => noon + seconds * 1000;

const store = async (project: string, session_id: string, count: number, now = at(0)): Promise<IdentifiedTrace[]> => {
  const traces = Array.from({ length: count }, () => someTrace({ session_id }));
  for (const trace of traces) await traceStore(database, 0, now).save(project, trace);
  return traces;
};

const remainingIds = async (project: string): Promise<readonly string[]> =>
  (await traceList(database, at(0)).page(project, 100, 0)).rows.map(({ traceId }) => traceId).toSorted();

const idsOf = (traces: readonly IdentifiedTrace[]): readonly string[] =>
  traces.map(({ trace_id }) => trace_id).toSorted();

const addScore = async (project: string, session_id: string, created_at: string): Promise<void> => {
  const dated = { created_at, updated_at: created_at };
  const score = someSessionScore({ project_id: project, session_id, name: "agent_reliability", ...dated });
  const TransactItems = sessionScoreItems(score, null).map((Item) => ({ Put: { TableName: "scores", Item } }));
  await database.client.send(new TransactWriteCommand({ TransactItems }));
};

test("deleting a session deletes its traces and no others, and returns their number", async () => {
  const project = randomUUID();
  await store(project, "gone", 60);
  const remainingTraces = [...(await store(project, "kept", 2)), ...(await store(project, "gone ", 1))];

  const deleted = await sessionRemoval(database, at(1)).remove(project, "gone");

  expect(deleted).toBe(60);
  expect(await remainingIds(project)).toEqual(idsOf(remainingTraces));
});

test("deleting a session without traces returns 0, and does not touch another project's session", async () => {
  const [project, otherProject] = [randomUUID(), randomUUID()];
  const remainingTraces = await store(otherProject, "s", 1);

  expect(await sessionRemoval(database, at(1)).remove(project, "s")).toBe(0);
  expect(await remainingIds(otherProject)).toEqual(idsOf(remainingTraces));
});

test("two concurrent deletions count each trace once", async () => {
  const project = randomUUID();
  await store(project, "s", 30);

  const counts = await Promise.all([0, 1].map(() => sessionRemoval(database, at(1)).remove(project, "s")));

  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(30);
  expect(await remainingIds(project)).toEqual([]);
});

test("a trace that leaves the session during its deletion stays, a trace that only changes is deleted", async () => {
  const project = randomUUID();
  const [leaving, changing] = await store(project, "s", 2);
  const writeGate = pausePoint();
  const slow = faultyDatabase(database, async (call) => {
    if (isOn("PutItem", "rows")(call) && !("session" in (call.input["Item"] as object))) await writeGate.pass();
    return null;
  });
  const removing = sessionRemoval(slow, at(1)).remove(project, "s");
  await writeGate.reached;
  const traces = traceStore(database, 0, at(0));
  await traces.change(project, leaving?.trace_id ?? "", { kind: "trace-patch", update: { session_id: "other" } });
  await traces.change(project, changing?.trace_id ?? "", { kind: "trace-patch", update: { name: "changed" } });
  writeGate.open();

  expect(await removing).toBe(1);
  expect(await remainingIds(project)).toEqual([leaving?.trace_id]);
});

test("the purge deletes traces that the stale index hid from the request, and keeps later traces of the session", async () => {
  const project = randomUUID();
  await store(project, "s", 3);
  const staleIndex = faultyDatabase(database, ({ operation }) =>
    operation === "Query (index)" ? "stale-index" : null,
  );
  const deleted = await sessionRemoval(staleIndex, at(1)).remove(project, "s");
  const laterTraces = await store(project, "s", 2, at(2));

  await purgeAll(database, project);

  expect(deleted).toBeLessThan(3);
  expect(await remainingIds(project)).toEqual(idsOf(laterTraces));
  expect((await itemsOf(database, project)).bodies).toHaveLength(2);
});

test("the session's scores are deleted with it, later ones stay", async () => {
  const project = randomUUID();
  await store(project, "s", 1);
  await addScore(project, "s", "2026-10-01T11:00:00+00:00");
  await addScore(project, "other", "2026-10-01T11:00:00+00:00");
  await sessionRemoval(database, at(1)).remove(project, "s");
  await addScore(project, "s", "2026-10-01T13:00:00+00:00");

  await purgeAll(database, project);

  expect((await itemsOf(database, project)).scores).toHaveLength(4);
});

test("a request that is killed at any point leaves a session that is deleted in the end, or unchanged", async () => {
  for (let killed = 1, finished = false; !finished; killed += 1) {
    const project = randomUUID();
    await store(project, "s", 2);
    let requests = 0;
    const dying = faultyDatabase(database, ({ operation }) => {
      if (!operation.includes("(")) requests += 1;
      return requests === killed ? (killed % 2 === 0 ? "crash-after" : "crash-before") : null;
    });
    const deleted = await sessionRemoval(dying, at(1))
      .remove(project, "s")
      .catch(() => null);
    finished = !dying.crashed;

    const hasTombstone = (await removalsIn(database, project)).some(({ kind }) => kind === "session");
    await purgeAll(database, project);

    expect(await remainingIds(project)).toHaveLength(hasTombstone ? 0 : 2);
    expect((await itemsOf(database, project)).bodies).toHaveLength(hasTombstone ? 0 : 2);
    expect(deleted).toBe(finished ? 2 : null);
  }
});

test("a purge that is killed at any point is completed by the next one", async () => {
  const project = randomUUID();
  await store(project, "s", 3);
  const staleIndex = faultyDatabase(database, ({ operation }) =>
    operation === "Query (index)" ? "stale-index" : null,
  );
  await sessionRemoval(staleIndex, at(1)).remove(project, "s");
  const tombstone = (await removalsIn(database, project)).find(({ kind }) => kind === "session");
  if (tombstone === undefined) throw new Error("No tombstone was written.");

  for (let killed = 1, finished = false; !finished; killed += 1) {
    let requests = 0;
    const dying = faultyDatabase(database, () => {
      requests += 1;
      return requests === killed ? "crash-after" : null;
    });
    await purge(dying, tombstone, at(3)).catch(() => undefined);
    finished = !dying.crashed;
  }
  await purgeAll(database, project);

  const { rows, bodies } = await itemsOf(database, project);
  expect([rows, bodies]).toEqual([[], []]);
});
