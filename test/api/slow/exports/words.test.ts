import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTraces } from "../../../../lib/contract/traces/batch.ts";
import { updateTrace } from "../../../../lib/contract/traces/changes.ts";
import { deleteTrace } from "../../../../lib/contract/traces/deletion.ts";
import { createExport } from "../../../../lib/contract/traces/exports.ts";
import { getTrace, listTraces } from "../../../../lib/contract/traces/traces.ts";
import { itemsOf } from "../../../../lib/dynamo/items.ts";
import { dueDays } from "../../../../lib/store/lake/due-days.ts";
import { manifestPartition } from "../../../../lib/store/lake/keys.ts";
import { lakeManifests } from "../../../../lib/store/lake/manifests.ts";
import { newProject, requestTimeout, type Client } from "../../../support/service/client.ts";
import { databaseOf } from "../../../support/service/service-database.ts";
import { type RunningService, startService } from "../../../support/service/service.ts";

let service: RunningService;
beforeAll(async () => {
  service = await startService({ checkGrants: true });
});
afterAll(() => service.close());

const day = "2026-10-01";
const options = { timeout: requestTimeout, interval: 500 };

/** Has the files of the day written: it began to close an hour ago. */
const closeDay = async (project: Client, projectId: string): Promise<void> => {
  const manifest = () => lakeManifests(databaseOf(service)).get(projectId, day);
  await project.answer(createExport, { body: { started_after: day, started_before: "2026-10-02" } });
  await expect.poll(manifest, options).toMatchObject({ generation: 0 });
  const key = { pk: manifestPartition(projectId), sk: day };
  const values = { ":since": Date.now() - 3_600_000 };
  await itemsOf(databaseOf(service), "aggregates").update(key, "SET since = :since", { values });
  await expect
    .poll(async () => {
      // Again, as the writer of the export's snapshot may have the day.
      await dueDays(databaseOf(service)).ask([{ project: projectId, day }]);
      for (const sweeper of service.stack.scheduled) await service.stack.functions.invoke(sweeper, {});
      return (await manifest())?.words;
    }, options)
    .toHaveLength(1);
};

test("words of a closed day are found by its index, and what changes later is found as it is", async () => {
  const project = newProject(service);
  const ids = [randomUUID(), randomUUID(), randomUUID()] as const;
  const traces = ["a rare quokka", "a tame wombat", "我的订单在哪里"].map((input, index) => ({
    trace_id: ids[index],
    name: String(index),
    started_at: `${day}T10:0${index}:00Z`,
    input,
  }));
  await project.answer(createTraces, { body: { traces } });
  const { project_id: projectId } = await project.answer(getTrace, { params: { trace_id: ids[0] } });
  const search = async (q: string) => {
    const page = await project.answer(listTraces, { query: { q, started_before: "2026-10-02" } });
    return [page.items.map(({ name }) => name), page.searched];
  };
  expect(await search("quokka")).toMatchObject([["0"], { documents: 3, indexed_days: 0 }]);

  await closeDay(project, projectId);

  expect(await search("QUOKKA rare")).toMatchObject([["0"], { documents: 1, indexed_days: 1 }]);
  expect(await search('"quokka rare"')).toMatchObject([[], { documents: 1 }]);
  expect(await search("订单")).toMatchObject([["2"], { documents: 1 }]);
  expect(await search("absent")).toMatchObject([[], { documents: 0, rows: 0, indexed_days: 1 }]);
  // Stream workers know for a minute that the day was open, which is shorter than a day takes to close.
  await expect
    .poll(
      async () => {
        await project.answer(updateTrace, {
          params: { trace_id: ids[0] },
          body: { input: `a common dingo at ${Date.now()}` },
        });
        return await search("dingo");
      },
      { ...options, interval: 5_000 },
    )
    .toMatchObject([["0"], { indexed_days: 1 }]);
  await project.answer(deleteTrace, { params: { trace_id: ids[2] } });
  expect(await search("quokka")).toMatchObject([[], {}]);
  expect(await search("订单")).toMatchObject([[], {}]);
});
