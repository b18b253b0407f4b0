import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { wholeTargets } from "../../../lib/domain/runs/run.ts";
import { sweepOf } from "../monitors/sweep-fixture.ts";
import { runPartition } from "../../../lib/store/runs/keys.ts";
import { runList } from "../../../lib/store/runs/list.ts";
import { type Origin, withLogContext } from "../../../lib/log-context.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import type { FaultKind } from "../../support/faults/fault-kind.ts";
import { pausePoint } from "../../support/service/pause-point.ts";
import { someOrder } from "../../support/runs/runs.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const ids = (count: number): readonly string[] => Array.from({ length: count }, () => randomUUID());

const targetsOf = async (project: string, run: string): Promise<readonly string[]> => {
  const runs = runStore(database);
  const runRecord = await runs.read(project, run);
  const slices = await runs.slices(project, run, runRecord?.attempt ?? "");
  return slices.flatMap(({ slice }) => slice.targets);
};

test("a created run is visible at once, with its targets in a fixed order", async () => {
  const targets = ids(120);
  const order = someOrder({ total: 120, filters: { n: JSON.rawJSON("9007199254740993") } });
  const runs = runStore(database);

  const created = await runCreation(database)(order, wholeTargets(targets));

  expect(created).toMatchObject({ status: "PENDING", evaluated: 0, completedAt: null });
  expect(JSON.stringify((await runs.get(order.projectId, order.id))?.order)).toBe(JSON.stringify(order));
  expect(await targetsOf(order.projectId, order.id)).toEqual(targets);
});

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

test.each<readonly [string, Origin]>([
  ["an API key with a trace", { organization_id: randomUUID(), key_id: randomUUID(), traceparent }],
  ["a user", { organization_id: randomUUID() }],
  ["a user with a trace", { organization_id: randomUUID(), traceparent }],
  ["nobody", {}],
])("a run keeps the origin of the request that created it: %s", async (_, origin) => {
  const order = someOrder({ total: 0 });

  await withLogContext({ ...origin, request_id: "not kept" }, () => runCreation(database)(order, []));

  expect((await runStore(database).read(order.projectId, order.id))?.origin).toEqual(origin);
});

test("a run is invisible until its last slice is stored", async () => {
  const order = someOrder({ total: 60 });
  const updateGate = pausePoint();
  const slow = faultyDatabase(database, async ({ operation }) => {
    if (operation === "UpdateItem") await updateGate.pass();
    return null;
  });
  const creating = runCreation(slow)(order, wholeTargets(ids(60)));
  await updateGate.reached;
  const runs = runStore(database);
  const list = runList(database);

  expect(await runs.get(order.projectId, order.id)).toBeNull();
  expect((await list.page(order.projectId, "TRACE", {}, 10, 0)).total).toBe(0);
  updateGate.open();
  await creating;
  expect(await runs.get(order.projectId, order.id)).not.toBeNull();
  expect((await list.page(order.projectId, "TRACE", {}, 10, 0)).total).toBe(1);
});

test("a second creation with the same id returns the existing run", async () => {
  const [order, targets] = [someOrder({ total: 3, name: "first" }), ids(3)];
  await runCreation(database)(order, wholeTargets(targets));

  const secondRun = await runCreation(database)({ ...order, name: "second" }, wholeTargets(ids(3)));

  expect(secondRun.order.name).toBe("first");
  expect(await targetsOf(order.projectId, order.id)).toEqual(targets);
});

test("ten concurrent creations of one id create one complete run", async () => {
  const [order, targets] = [someOrder({ total: 80 }), ids(80)];

  const results = await Promise.allSettled(
    Array.from({ length: 10 }, () => runCreation(database)(order, wholeTargets(targets))),
  );

  expect(results.some(({ status }) => status === "fulfilled")).toBe(true);
  expect(await targetsOf(order.projectId, order.id)).toEqual(targets);
  expect((await runList(database).page(order.projectId, "TRACE", {}, 10, 0)).total).toBe(1);
});

/** A process that dies at its nth request. */
const dyingAt = (nth: number, kind: FaultKind) => {
  let requests = 0;
  return faultyDatabase(database, ({ operation }) => {
    if (operation.includes("(")) return null;
    requests += 1;
    return requests === nth ? kind : null;
  });
};

test.each<FaultKind>(["crash-before", "crash-after"])(
  "a creation that is interrupted by %s at any request leaves a complete run or none, and can be repeated",
  async (kind) => {
    for (let nth = 1; nth <= 5; nth += 1) {
      const [order, targets] = [someOrder({ total: 70 }), ids(70)];
      const [runs, dyingDb] = [runStore(database), dyingAt(nth, kind)];
      const outcome = await runCreation(dyingDb)(order, wholeTargets(targets)).then(
        () => "acked" as const,
        () => "not acked" as const,
      );
      const visibleRun = await runs.get(order.projectId, order.id);
      expect(visibleRun === null ? [] : await targetsOf(order.projectId, order.id)).toEqual(
        visibleRun === null ? [] : targets,
      );
      expect(outcome === "acked" && visibleRun === null).toBe(false);

      await runCreation(database)(order, wholeTargets(targets));
      expect(await targetsOf(order.projectId, order.id)).toEqual(targets);
    }
  },
);

test("the sweeper removes an interrupted creation and no other run", async () => {
  const [brokenOrder, completeOrder] = [someOrder({ total: 60 }), someOrder({ total: 1 })];
  await expect(runCreation(dyingAt(3, "crash-before"))(brokenOrder, wholeTargets(ids(60)))).rejects.toThrow("died");
  await runCreation(database)(completeOrder, wholeTargets(ids(1)));
  const attempt = (await runStore(database).read(brokenOrder.projectId, brokenOrder.id))?.attempt ?? "";
  const later = (): number => Date.parse("2026-10-01T10:02:00Z");

  await sweepOf(database, later);

  expect(await runStore(database).read(brokenOrder.projectId, brokenOrder.id)).toBeNull();
  expect(await runStore(database).slices(brokenOrder.projectId, brokenOrder.id, attempt)).toEqual([]);
  expect(await runStore(database).get(completeOrder.projectId, completeOrder.id)).not.toBeNull();
});

test("a creation that finishes while the sweeper removes it stays complete", async () => {
  const [order, targets] = [someOrder({ total: 60 }), ids(60)];
  const [creationGate, sweepGate] = [pausePoint(), pausePoint()];
  const slow = faultyDatabase(database, async ({ operation }) => {
    if (operation === "UpdateItem") await creationGate.pass();
    return null;
  });
  const sweeping = faultyDatabase(database, async ({ operation }) => {
    if (operation === "UpdateItem") await sweepGate.pass();
    return null;
  });
  const creating = runCreation(slow)(order, wholeTargets(targets));
  await creationGate.reached;
  const sweep = sweepOf(sweeping, () => Date.parse("2026-10-01T10:02:00Z"));
  await sweepGate.reached;
  creationGate.open();
  await creating;
  sweepGate.open();
  await sweep;

  expect(await targetsOf(order.projectId, order.id)).toEqual(targets);
});

test("a creation that finishes after the sweeper has removed it is not acknowledged", async () => {
  const order = someOrder({ total: 1 });
  const updateGate = pausePoint();
  const slow = faultyDatabase(database, async ({ operation }) => {
    if (operation === "UpdateItem") await updateGate.pass();
    return null;
  });
  const creating = runCreation(slow)(order, wholeTargets(ids(1)));
  const outcome = Promise.allSettled([creating]);
  await updateGate.reached;
  await sweepOf(database, () => Date.parse("2026-10-01T10:02:00Z"));
  updateGate.open();

  expect(await outcome).toMatchObject([{ status: "rejected", reason: { reason: { kind: "unavailable" } } }]);
  expect(await runStore(database).get(order.projectId, order.id)).toBeNull();
});

test("a partially processed batch is sent again until all slices are stored", async () => {
  const [order, targets] = [someOrder({ total: 400, metrics: ["a", "b", "c", "d", "e"] }), ids(400)];
  let answers = 0;
  const faultyDb = faultyDatabase(database, ({ operation }) => {
    if (operation !== "BatchWriteItem (answer)") return null;
    answers += 1;
    return answers % 3 === 0 ? null : "partial-batch";
  });

  await runCreation(faultyDb)(order, wholeTargets(targets));

  expect(answers).toBeGreaterThan(3);
  expect(await targetsOf(order.projectId, order.id)).toEqual(targets);
});

test("a run without targets ends once, with its message", async () => {
  const order = someOrder({ total: 0, emptyMessage: "No traces match the provided filters." });
  const times = [1_000, 2_000].map((at) => runStore(database, () => at));
  await runCreation(database)(order, wholeTargets([]));

  for (const runs of times) {
    const runRecord = await runs.read(order.projectId, order.id);
    if (runRecord !== null) await runs.endEmpty(runRecord);
  }

  const endedRun = await runStore(database).get(order.projectId, order.id);
  expect(endedRun).toMatchObject({ status: "COMPLETED", errorMessage: order.emptyMessage });
  expect(endedRun?.completedAt).toBe("1970-01-01T00:00:01+00:00");
});

test("beginning a run twice changes nothing", async () => {
  const order = someOrder({ total: 1 });
  const runs = runStore(database);
  await runCreation(database)(order, wholeTargets(ids(1)));

  await runs.begin(order.projectId, order.id);
  await runs.begin(order.projectId, order.id);

  expect((await runs.get(order.projectId, order.id))?.status).toBe("RUNNING");
});

test("a creation attempt that was overtaken by another one removes its slices", async () => {
  const [order, targets] = [someOrder({ total: 60 }), ids(60)];
  const updateGate = pausePoint();
  const slow = faultyDatabase(database, async ({ operation }) => {
    if (operation === "UpdateItem") await updateGate.pass();
    return null;
  });
  const slowCreation = runCreation(slow)(order, wholeTargets(targets));
  await updateGate.reached;
  await runCreation(database)(order, wholeTargets(targets));

  updateGate.open();
  await slowCreation;

  const runRecord = await runStore(database).read(order.projectId, order.id);
  const slices = await database.client.send(
    new QueryCommand({
      TableName: "runs",
      KeyConditionExpression: "pk = :pk AND begins_with(sk, :slice)",
      ExpressionAttributeValues: { ":pk": runPartition(order.projectId, order.id), ":slice": "slice#" },
    }),
  );
  expect(slices.Count).toBe(runRecord?.slices);
});
