import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { wholeTargets } from "../../../lib/domain/runs/run.ts";
import { sweepOf } from "../monitors/sweep-fixture.ts";
import { runPartition } from "../../../lib/store/runs/keys.ts";
import { runList } from "../../../lib/store/runs/list.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import type { FaultKind } from "../../support/faults/fault-kind.ts";
import { gate } from "../../support/service/gate.ts";
import { someOrder } from "../../support/runs/runs.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const ids = (count: number): readonly string[] => Array.from({ length: count }, () => randomUUID());

const targetsOf = async (project: string, run: string): Promise<readonly string[]> => {
  const runs = runStore(database);
  const stored = await runs.read(project, run);
  const slices = await runs.slices(project, run, stored?.attempt ?? "");
  return slices.flatMap(({ slice }) => slice.targets);
};

test("a created run is there at once, with its targets frozen in order", async () => {
  const targets = ids(120);
  const order = someOrder({ total: 120, filters: { n: JSON.rawJSON("9007199254740993") } });
  const runs = runStore(database);

  const created = await runCreation(database)(order, wholeTargets(targets));

  expect(created).toMatchObject({ status: "PENDING", evaluated: 0, completedAt: null });
  expect(JSON.stringify((await runs.get(order.projectId, order.id))?.order)).toBe(JSON.stringify(order));
  expect(await targetsOf(order.projectId, order.id)).toEqual(targets);
});

test("nobody sees a run before its last slice is durable", async () => {
  const order = someOrder({ total: 60 });
  const held = gate();
  const slow = faultyDatabase(database, async ({ operation }) => {
    if (operation === "UpdateItem") await held.pass();
    return null;
  });
  const creating = runCreation(slow)(order, wholeTargets(ids(60)));
  await held.reached;
  const runs = runStore(database);
  const list = runList(database);

  expect(await runs.get(order.projectId, order.id)).toBeNull();
  expect((await list.page(order.projectId, "TRACE", null, 10, 0)).total).toBe(0);
  held.open();
  await creating;
  expect(await runs.get(order.projectId, order.id)).not.toBeNull();
  expect((await list.page(order.projectId, "TRACE", null, 10, 0)).total).toBe(1);
});

test("creating the same id again gives the run that is there", async () => {
  const [order, targets] = [someOrder({ total: 3, name: "first" }), ids(3)];
  await runCreation(database)(order, wholeTargets(targets));

  const again = await runCreation(database)({ ...order, name: "second" }, wholeTargets(ids(3)));

  expect(again.order.name).toBe("first");
  expect(await targetsOf(order.projectId, order.id)).toEqual(targets);
});

test("ten creations of one id at once make one run, whole", async () => {
  const [order, targets] = [someOrder({ total: 80 }), ids(80)];

  const results = await Promise.allSettled(
    Array.from({ length: 10 }, () => runCreation(database)(order, wholeTargets(targets))),
  );

  expect(results.some(({ status }) => status === "fulfilled")).toBe(true);
  expect(await targetsOf(order.projectId, order.id)).toEqual(targets);
  expect((await runList(database).page(order.projectId, "TRACE", null, 10, 0)).total).toBe(1);
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
  "a creation broken off by %s anywhere leaves the whole run or nothing, and can be made again",
  async (kind) => {
    for (let nth = 1; nth <= 5; nth += 1) {
      const [order, targets] = [someOrder({ total: 70 }), ids(70)];
      const [runs, own] = [runStore(database), dyingAt(nth, kind)];
      const outcome = await runCreation(own)(order, wholeTargets(targets)).then(
        () => "acked" as const,
        () => "not acked" as const,
      );
      const seen = await runs.get(order.projectId, order.id);
      expect(seen === null ? [] : await targetsOf(order.projectId, order.id)).toEqual(seen === null ? [] : targets);
      expect(outcome === "acked" && seen === null).toBe(false);

      await runCreation(database)(order, wholeTargets(targets));
      expect(await targetsOf(order.projectId, order.id)).toEqual(targets);
    }
  },
);

test("the sweeper removes a creation that was broken off, and no other", async () => {
  const [broken, whole] = [someOrder({ total: 60 }), someOrder({ total: 1 })];
  await expect(runCreation(dyingAt(3, "crash-before"))(broken, wholeTargets(ids(60)))).rejects.toThrow("died");
  await runCreation(database)(whole, wholeTargets(ids(1)));
  const attempt = (await runStore(database).read(broken.projectId, broken.id))?.attempt ?? "";
  const later = (): number => Date.parse("2026-10-01T10:02:00Z");

  await sweepOf(database, later);

  expect(await runStore(database).read(broken.projectId, broken.id)).toBeNull();
  expect(await runStore(database).slices(broken.projectId, broken.id, attempt)).toEqual([]);
  expect(await runStore(database).get(whole.projectId, whole.id)).not.toBeNull();
});

test("a creation that comes too late for the sweeper is not acknowledged", async () => {
  const order = someOrder({ total: 1 });
  const held = gate();
  const slow = faultyDatabase(database, async ({ operation }) => {
    if (operation === "UpdateItem") await held.pass();
    return null;
  });
  const creating = runCreation(slow)(order, wholeTargets(ids(1)));
  const outcome = Promise.allSettled([creating]);
  await held.reached;
  await sweepOf(database, () => Date.parse("2026-10-01T10:02:00Z"));
  held.open();

  expect(await outcome).toMatchObject([{ status: "rejected", reason: { reason: { kind: "unavailable" } } }]);
  expect(await runStore(database).get(order.projectId, order.id)).toBeNull();
});

test("a batch that is taken in part is sent again until all slices are there", async () => {
  const [order, targets] = [someOrder({ total: 400, metrics: ["a", "b", "c", "d", "e"] }), ids(400)];
  let answers = 0;
  const own = faultyDatabase(database, ({ operation }) => {
    if (operation !== "BatchWriteItem (answer)") return null;
    answers += 1;
    return answers % 3 === 0 ? null : "partial-batch";
  });

  await runCreation(own)(order, wholeTargets(targets));

  expect(answers).toBeGreaterThan(3);
  expect(await targetsOf(order.projectId, order.id)).toEqual(targets);
});

test("a run without targets ends once, with its message", async () => {
  const order = someOrder({ total: 0, emptyMessage: "No traces match the provided filters." });
  const times = [1_000, 2_000].map((at) => runStore(database, () => at));
  await runCreation(database)(order, wholeTargets([]));

  for (const runs of times) {
    const stored = await runs.read(order.projectId, order.id);
    if (stored !== null) await runs.endEmpty(stored);
  }

  const ended = await runStore(database).get(order.projectId, order.id);
  expect(ended).toMatchObject({ status: "COMPLETED", errorMessage: order.emptyMessage });
  expect(ended?.completedAt).toBe("1970-01-01T00:00:01+00:00");
});

test("beginning twice changes nothing", async () => {
  const order = someOrder({ total: 1 });
  const runs = runStore(database);
  await runCreation(database)(order, wholeTargets(ids(1)));

  await runs.begin(order.projectId, order.id);
  await runs.begin(order.projectId, order.id);

  expect((await runs.get(order.projectId, order.id))?.status).toBe("RUNNING");
});

test("an attempt that another overtook takes its slices back", async () => {
  const [order, targets] = [someOrder({ total: 60 }), ids(60)];
  const held = gate();
  const slow = faultyDatabase(database, async ({ operation }) => {
    if (operation === "UpdateItem") await held.pass();
    return null;
  });
  const overtaken = runCreation(slow)(order, wholeTargets(targets));
  await held.reached;
  await runCreation(database)(order, wholeTargets(targets));

  held.open();
  await overtaken;

  const stored = await runStore(database).read(order.projectId, order.id);
  const slices = await database.client.send(
    new QueryCommand({
      TableName: "runs",
      KeyConditionExpression: "pk = :pk AND begins_with(sk, :slice)",
      ExpressionAttributeValues: { ":pk": runPartition(order.projectId, order.id), ":slice": "slice#" },
    }),
  );
  expect(slices.Count).toBe(stored?.slices);
});
