import { randomUUID } from "node:crypto";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Firing } from "../../../lib/domain/monitors/firing.ts";
import { firingStore } from "../../../lib/store/monitors/firings.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import { runKey } from "../../../lib/store/runs/keys.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { someOrder } from "../../support/runs/runs.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const scheduledAt = Date.parse("2026-11-21T09:00:00Z");

/** A firing that was decided with a run that is not created yet, and the function that marks it as failed. */
const decidedFiring = async () => {
  const [project, monitor, runId] = [randomUUID(), randomUUID(), randomUUID()];
  const [firings, order] = [firingStore(database), someOrder({ id: runId, projectId: project })];
  const decidedAt = "2026-11-21T09:00:01.000000+00:00";
  const firing: Firing = { scheduledAt, decidedAt, outcome: "RUN", runId, reason: null, watermark: null };
  await firings.decide(project, monitor, firing);
  const failed: Firing = { ...firing, outcome: "FAILED", runId: null, reason: "Given up." };
  return {
    order,
    fail: () => firings.fail(project, monitor, runId, failed),
    outcome: async () => (await firings.get(project, monitor, scheduledAt))?.outcome,
  };
};

test("a firing whose run was never created is marked as failed", async () => {
  const { fail, outcome } = await decidedFiring();

  expect([await fail(), await outcome()]).toEqual([true, "FAILED"]);
});

test("a firing whose run exists is not marked as failed, not even after the run is deleted", async () => {
  const { fail, order, outcome } = await decidedFiring();
  await runCreation(database)(order, []);

  expect([await fail(), await outcome()]).toEqual([false, "RUN"]);
  await database.client.send(
    new UpdateCommand({
      TableName: "runs",
      Key: runKey(order.projectId, order.id),
      UpdateExpression: "SET #status = :deleted",
      ExpressionAttributeNames: { "#status": "status" },
      ExpressionAttributeValues: { ":deleted": "DELETED" },
    }),
  );
  expect([await fail(), await outcome()]).toEqual([false, "RUN"]);
});

test("a firing whose run creation started but did not finish is marked as failed", async () => {
  const { fail, order, outcome } = await decidedFiring();
  const dying = faultyDatabase(database, ({ operation }) => (operation === "UpdateItem" ? "crash-before" : null));

  await expect(runCreation(dying)(order, [])).rejects.toThrow("died");

  expect([await fail(), await outcome()]).toEqual([true, "FAILED"]);
});
