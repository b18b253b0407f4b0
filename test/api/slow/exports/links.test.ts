import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTraces } from "../../../../lib/contract/traces/batch.ts";
import { createExport } from "../../../../lib/contract/traces/exports.ts";
import { getTrace } from "../../../../lib/contract/traces/traces.ts";
import { itemsOf } from "../../../../lib/dynamo/items.ts";
import { lakeChanges } from "../../../../lib/store/lake/changes.ts";
import { manifestPartition } from "../../../../lib/store/lake/keys.ts";
import { eraseSnapshots } from "../../../../lib/store/lake/snapshots.ts";
import { closeDay } from "../../../support/lake/close-day.ts";
import { newProject, requestTimeout } from "../../../support/service/client.ts";
import { databaseOf } from "../../../support/service/service-database.ts";
import { type RunningService, startService } from "../../../support/service/service.ts";

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const day = "2026-10-01";

test("an export gives no links to files of a closed day that it has written again", async () => {
  const project = newProject(service);
  const trace_id = randomUUID();
  const traces = [{ trace_id, name: "x", started_at: `${day}T10:00:00Z` }];
  await project.answer(createTraces, { body: { traces } });
  const { project_id: id } = await project.answer(getTrace, { params: { trace_id } });
  await closeDay(service, project, id, day);
  const send = () => project.answer(createExport, { body: { started_after: day, started_before: "2026-10-02" } });
  expect(await send()).toMatchObject({ days: [{ status: "closed", files: [{}, {}] }] });
  const database = databaseOf(service);
  // The snapshot that the export made while the day was closing would be newer than the files.
  for await (const _ of eraseSnapshots(database)(id));
  const values = { ":readAt": Date.now() - 3_600_000 };
  await itemsOf(database, "aggregates").update({ pk: manifestPartition(id), sk: day }, "SET readAt = :readAt", {
    values,
  });
  await lakeChanges(database).mark(id, [`${day}T10:00:00+00:00`], "traces");

  expect(await send()).toMatchObject({ complete: false, days: [{ status: "closed", changes: 1, files: [] }] });
  await expect
    .poll(send, { timeout: requestTimeout, interval: 500 })
    .toMatchObject({ days: [{ status: "closed", files: [{}, {}] }] });
});
