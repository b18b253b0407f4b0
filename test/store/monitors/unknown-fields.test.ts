import { randomUUID } from "node:crypto";
import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { expect, onTestFinished, test } from "vitest";
import { pausedMonitor, type Monitor } from "../../../lib/domain/monitors/monitor.ts";
import { monitorKey } from "../../../lib/store/monitors/keys.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";
import { someMonitor } from "../../support/monitors.ts";
import { startDatabase } from "../../support/database/database.ts";

test("a change of a monitor keeps unknown fields that a later version has added to it and its settings", async () => {
  const database = await startDatabase();
  onTestFinished(() => database.close());
  const monitors = monitorStore(database);
  const { monitor } = await monitors.create(someMonitor(randomUUID(), { only_if_changed: true }));
  const Key = monitorKey(monitor.projectId, monitor.id);
  const { Item: before } = await database.client.send(new GetCommand({ TableName: "monitors", Key }));
  const stored = JSON.parse(String(before?.["d"])) as Monitor;
  const added = { ...stored, later: [1], settings: { ...stored.settings, later: { deep: true } } };
  await database.client.send(
    new UpdateCommand({
      TableName: "monitors",
      Key,
      UpdateExpression: "SET d = :d",
      ExpressionAttributeValues: { ":d": JSON.stringify(added) },
    }),
  );

  await monitors.change(monitor.projectId, monitor.id, (current) => pausedMonitor(current, Date.now()));

  const { Item } = await database.client.send(new GetCommand({ TableName: "monitors", Key }));
  expect(JSON.parse(String(Item?.["d"]))).toMatchObject({
    status: "PAUSED",
    later: [1],
    settings: { name: "nightly", later: { deep: true } },
  });
});
