import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { createDatasetItems, listDatasetItems } from "../../../lib/contract/datasets/items.ts";
import { createTraces } from "../../../lib/contract/traces/batch.ts";
import { deleteTrace } from "../../../lib/contract/traces/deletion.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { newDataset } from "../../support/datasets.ts";
import { problems } from "../../support/reply-shape.ts";
import { type Client, newProject } from "../../support/service/client.ts";
import { someTrace } from "../../support/traces/traces.ts";

const service = inject("service");
const project = newProject(service);

const newTrace = async (client: Client = project, fields: object = {}): Promise<string> =>
  (await client.answer(createTrace, { body: { ...someTrace(), input: "in", output: "out", ...fields } })).trace_id;

const sourcesOf = (trace_ids: readonly string[]) => trace_ids.map((trace_id) => ({ source: { trace_id } }));

test("many traces become items in one request, in their order", async () => {
  const dataset_id = await newDataset(project);
  const traces = Array.from({ length: 300 }, (_, at) => ({ ...someTrace(), input: { at }, output: `answer ${at}` }));
  for (let start = 0; start < traces.length; start += 100)
    await project.answer(createTraces, { body: { traces: traces.slice(start, start + 100) } });
  const items = sourcesOf(traces.map(({ trace_id }) => trace_id));

  await project.answer(createDatasetItems, { params: { dataset_id }, body: { items } });

  const page = await project.answer(listDatasetItems, { params: { dataset_id }, query: { limit: 300 } });
  expect(page.items).toMatchObject(
    traces.map(({ trace_id, input, output }) => ({ input, expected_output: output, source: { trace_id } })),
  );
});

test.each([
  ["of another project", () => newTrace(newProject(service))],
  [
    "that was deleted",
    async () => {
      const trace_id = await newTrace();
      await project.answer(deleteTrace, { params: { trace_id } });
      return trace_id;
    },
  ],
])("a trace %s is named by its position, and no other item is stored", async (_, traceOf) => {
  const dataset_id = await newDataset(project);
  const items = sourcesOf([await newTrace(), await traceOf(), await newTrace()]);

  const reply = await project.call(createDatasetItems, { params: { dataset_id }, body: { items } });

  expect([reply.status, problems(reply)]).toEqual([422, ["body.items.1.source.trace_id"]]);
  expect(await project.answer(listDatasetItems, { params: { dataset_id } })).toMatchObject({ total: 0 });
});

test("a trace that is too large for an item is named by its position, unless the item has values of its own", async () => {
  const dataset_id = await newDataset(project);
  const params = { dataset_id };
  const [large, gone] = [await newTrace(project, { input: "x".repeat(310_000) }), randomUUID()];

  const reply = await project.call(createDatasetItems, {
    params,
    body: { items: sourcesOf([await newTrace(), large]) },
  });

  expect(reply).toMatchObject({ status: 413, body: { detail: "The item 1 of the request is larger than 300 KB." } });
  expect(await project.answer(listDatasetItems, { params })).toMatchObject({ total: 0 });

  const items = [large, gone].map((trace_id) => ({ source: { trace_id }, input: null, expected_output: null }));
  await project.answer(createDatasetItems, { params, body: { items } });

  expect((await project.answer(listDatasetItems, { params })).items).toMatchObject(items);
});

test("a request whose items are too large together is refused before any is stored", async () => {
  const dataset_id = await newDataset(project);
  const trace_id = await newTrace(project, { input: "x".repeat(290_000) });
  const items = sourcesOf(Array<string>(120).fill(trace_id));

  const reply = await project.call(createDatasetItems, { params: { dataset_id }, body: { items } });

  expect(reply).toMatchObject({ status: 413, body: { detail: expect.stringContaining("together") } });
  expect(await project.answer(listDatasetItems, { params: { dataset_id } })).toMatchObject({ total: 0 });
});
