import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTraces } from "../../../../lib/contract/traces/batch.ts";
import { updateTrace } from "../../../../lib/contract/traces/changes.ts";
import { deleteTrace } from "../../../../lib/contract/traces/deletion.ts";
import { getTrace, listTraces } from "../../../../lib/contract/traces/traces.ts";
import { closeDay } from "../../../support/lake/close-day.ts";
import { newProject, requestTimeout } from "../../../support/service/client.ts";
import { type RunningService, startService } from "../../../support/service/service.ts";

let service: RunningService;
beforeAll(async () => {
  service = await startService({ checkGrants: true });
});
afterAll(() => service.close());

const day = "2026-10-01";
const options = { timeout: requestTimeout, interval: 500 };

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

  await closeDay(service, project, projectId, day);

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
