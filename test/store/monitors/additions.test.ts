import { randomUUID } from "node:crypto";
import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { expect, onTestFinished, test } from "vitest";
import { newMonitor, paused } from "../../../lib/domain/monitors/monitor.ts";
import { monitorKey } from "../../../lib/store/monitors/keys.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";
import { startDatabase } from "../../support/database/database.ts";

test("a monitor that is changed keeps what a later version has added to it and to its settings", async () => {
  const database = await startDatabase();
  onTestFinished(() => database.close());
  const monitors = monitorStore(database);
  const ids = { id: randomUUID(), projectId: randomUUID(), targetType: "TRACE" } as const;
  const settings = {
    name: "nightly",
    metrics: ["task_completion"],
    filters: {},
    samplingRate: 1,
    model: null,
    cadence: "daily",
    onlyIfChanged: true,
    scope: "all",
    signalWeights: null,
    maxCostUsd: null,
  } as const;
  const { monitor } = await monitors.create(newMonitor(ids, settings, Date.now()));
  const Key = monitorKey(ids.projectId, ids.id);
  const added = { ...monitor, later: [1], settings: { ...monitor.settings, later: { deep: true } } };
  await database.client.send(
    new UpdateCommand({
      TableName: "monitors",
      Key,
      UpdateExpression: "SET d = :d",
      ExpressionAttributeValues: { ":d": JSON.stringify(added) },
    }),
  );

  await monitors.change(ids.projectId, ids.id, (current) => paused(current, Date.now()));

  const { Item } = await database.client.send(new GetCommand({ TableName: "monitors", Key }));
  expect(JSON.parse(String(Item?.["d"]))).toMatchObject({
    status: "PAUSED",
    later: [1],
    settings: { name: "nightly", later: { deep: true } },
  });
});
