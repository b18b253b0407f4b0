import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import {
  createDataset,
  deleteDataset,
  getDataset,
  listDatasets,
  updateDataset,
} from "../../../lib/contract/datasets/datasets.ts";
import {
  createDatasetItems,
  deleteDatasetItem,
  getDatasetItem,
  listDatasetItems,
  updateDatasetItem,
} from "../../../lib/contract/datasets/items.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { itemsOf, newDataset } from "../../support/datasets.ts";
import { inTurn } from "../../support/in-turn.ts";
import { newProject } from "../../support/service/client.ts";
import { someTrace } from "../../support/traces/traces.ts";

const service = inject("service");
const project = newProject(service);

const add = (dataset_id: string, items: readonly object[]) =>
  project.answer(createDatasetItems, { params: { dataset_id }, body: { items } });

test("a dataset is created once per key, found by its name, renamed, and deleted with its items", async () => {
  const [name, otherName] = [`refunds ${randomUUID()}`, `returns ${randomUUID()}`];
  const headers = { "Idempotency-Key": randomUUID() };
  const body = { name, description: "Questions about refunds.", metadata: { team: "support" } };

  const created = await project.answer(createDataset, { body, headers });
  const params = { dataset_id: created.id };

  expect(created).toMatchObject({ ...body, item_count: 0 });
  expect(await project.answer(createDataset, { body, headers })).toEqual(created);
  expect(await project.call(createDataset, { body })).toMatchObject({ status: 409 });
  expect(await project.answer(listDatasets, { query: { name } })).toMatchObject({ total: 1, items: [created] });

  const renamed = await project.answer(updateDataset, { params, body: { name: otherName, metadata: null } });

  expect(renamed).toMatchObject({ name: otherName, description: body.description, metadata: {} });
  expect(await project.answer(listDatasets, { query: { name } })).toMatchObject({ total: 0 });
  expect(await project.answer(getDataset, { params })).toEqual(renamed);

  await add(created.id, [{ input: 1 }]);
  await project.answer(deleteDataset, { params });

  for (const route of [getDataset, listDatasetItems, deleteDataset])
    expect(await project.call(route, { params })).toMatchObject({ status: 404 });
  expect((await project.answer(createDataset, { body: { name: otherName } })).item_count).toBe(0);
});

test("a dataset larger than its item in the database may be is refused", async () => {
  const params = { dataset_id: await newDataset(project) };
  const metadata = { note: "x".repeat(410_000) };

  expect(await project.call(createDataset, { body: { name: `set ${randomUUID()}`, metadata } })).toMatchObject({
    status: 413,
  });
  expect(await project.call(updateDataset, { params, body: { metadata } })).toMatchObject({ status: 413 });
});

test("a page of large datasets ends early, and its cursor leads to the others", async () => {
  const other = newProject(service);
  const names = Array.from({ length: 14 }, (_, at) => `set ${at}`);
  for (const name of names)
    await other.answer(createDataset, { body: { name, metadata: { note: '"'.repeat(140_000) } } });

  const first = await other.answer(listDatasets);
  const rest = await other.answer(listDatasets, { query: { cursor: first.next_cursor ?? "" } });

  expect([...first.items, ...rest.items].map(({ name }) => name).toReversed()).toEqual(names);
  expect([first.total, rest.next_cursor]).toEqual([14, null]);
});

test("items keep their values and their order, and are paged", async () => {
  const dataset = await newDataset(project);
  const values = [null, 0, 1e300, "", "Grüße 👋", [], {}, { a: [1, { b: null }] }, true];
  const items = values.map((input, at) => ({ id: `item ${at}`, input, expected_output: input, metadata: { at } }));

  const { items: stored } = await add(dataset, items);

  const read = await itemsOf(project, dataset);
  const pages = await inTurn([0, 4, 8], (offset) => itemsOf(project, dataset, { offset, limit: 4 }));
  expect(read).toMatchObject(
    items.map(({ id, input, expected_output, metadata }) => ({
      input,
      expected_output,
      metadata,
      external_id: id,
      dataset_id: dataset,
      source: null,
    })),
  );
  expect(read.map(({ id }) => id)).toEqual(stored.map(({ id }) => id));
  expect(pages.flat()).toEqual(read);
  expect(await project.answer(getDataset, { params: { dataset_id: dataset } })).toMatchObject({ item_count: 9 });
});

test("an item that is sent again is the same revision, with another value a new one in the same place", async () => {
  const dataset = await newDataset(project);
  const first = [
    { id: "a", input: "question", expected_output: "answer" },
    { id: "b", input: 2 },
  ];
  const revisions = await inTurn([first, first, [{ id: "a", input: "question", expected_output: "better" }]], (items) =>
    add(dataset, items),
  );
  const params = { dataset_id: dataset, item_id: "a" };

  expect(revisions[1]).toEqual(revisions[0]);
  expect(revisions[2]?.items[0]?.id).toBe(revisions[0]?.items[0]?.id);
  expect(revisions[2]?.items[0]?.revised_at).not.toBe(revisions[0]?.items[0]?.revised_at);
  expect((await itemsOf(project, dataset)).map(({ expected_output }) => expected_output)).toEqual(["better", null]);

  const updated = await project.answer(updateDatasetItem, { params, body: { expected_output: null } });

  expect(updated).toMatchObject({ input: "question", expected_output: null });
  expect(await project.answer(getDatasetItem, { params })).toEqual(updated);

  await project.answer(deleteDatasetItem, { params });

  expect(await project.call(getDatasetItem, { params })).toMatchObject({ status: 404 });
  expect(await project.call(deleteDatasetItem, { params })).toMatchObject({ status: 404 });
  expect(await itemsOf(project, dataset)).toHaveLength(1);
  expect(await project.answer(getDataset, { params })).toMatchObject({ item_count: 1 });
});

test("changes of different fields of an item at the same time are all kept", async () => {
  const dataset = await newDataset(project);
  await add(dataset, [{ id: "shared", input: 0 }]);
  const params = { dataset_id: dataset, item_id: "shared" };
  const bodies = [{ input: 1 }, { expected_output: 2 }, { metadata: { n: 3 } }];

  await Promise.all(bodies.map((body) => project.answer(updateDatasetItem, { params, body })));

  expect(await project.answer(getDatasetItem, { params })).toMatchObject(Object.assign({}, ...bodies));
});

test("an item of a trace or a span has its input and its output, unless it has its own", async () => {
  const dataset = await newDataset(project);
  const [trace, span_id] = [someTrace(), randomUUID()];
  const spans = [{ span_id, name: "search", started_at: trace.started_at, input: { q: 1 }, output: [2] }];
  const { trace_id } = await project.answer(createTrace, { body: { ...trace, input: "in", output: "out", spans } });

  await add(dataset, [
    { source: { trace_id } },
    { source: { trace_id, span_id } },
    { source: { trace_id }, expected_output: null },
  ]);
  const refusals = await inTurn([{ trace_id: randomUUID() }, { trace_id, span_id: randomUUID() }], (source) =>
    project.call(createDatasetItems, { params: { dataset_id: dataset }, body: { items: [{ input: 1 }, { source }] } }),
  );

  expect(await itemsOf(project, dataset)).toMatchObject([
    { input: "in", expected_output: "out", source: { trace_id, span_id: null } },
    { input: { q: 1 }, expected_output: [2], source: { trace_id, span_id } },
    { input: "in", expected_output: null, source: { trace_id, span_id: null } },
  ]);
  expect(refusals).toMatchObject([
    { status: 422, body: { detail: [{ loc: ["body", "items", 1, "source", "trace_id"] }] } },
    { status: 422, body: { detail: [{ loc: ["body", "items", 1, "source", "span_id"] }] } },
  ]);
});

test.each([
  ["neither an input nor a source", [{ id: "a" }], 422],
  [
    "two equal ids",
    [
      { id: "a", input: 1 },
      { id: "a", input: 2 },
    ],
    422,
  ],
  ["an unknown field", [{ input: 1, expected: 2 }], 422],
  ["more than 300 KB", [{ input: 1 }, { input: "x".repeat(310_000) }], 413],
])("items with %s are refused, and nothing is stored", async (_, items, status) => {
  const dataset = await newDataset(project);

  const reply = await project.call(createDatasetItems, { params: { dataset_id: dataset }, body: { items } });

  expect(reply.status).toBe(status);
  expect(await itemsOf(project, dataset)).toEqual([]);
});

test("items that are added at the same time are all there once, and counted", async () => {
  const dataset = await newDataset(project);
  const batches = Array.from({ length: 8 }, (_, batch) =>
    Array.from({ length: 30 }, (__, at) => ({ id: `item ${(batch * 15 + at) % 120}`, input: (batch * 15 + at) % 120 })),
  );

  await Promise.all(batches.map((items) => add(dataset, items)));

  const items = await itemsOf(project, dataset, { limit: 200 });
  expect(items.map(({ input }) => Number(input)).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 120 }, (_, at) => at),
  );
  expect(await project.answer(getDataset, { params: { dataset_id: dataset } })).toMatchObject({ item_count: 120 });
});

test("another project sees neither a dataset nor its items", async () => {
  const dataset_id = await newDataset(project);
  const [{ id: item_id } = { id: "" }] = (await add(dataset_id, [{ id: "a", input: 1 }])).items;
  const other = newProject(service);

  const replies = await Promise.all([
    other.call(getDataset, { params: { dataset_id } }),
    other.call(getDatasetItem, { params: { dataset_id, item_id } }),
    other.call(createDatasetItems, { params: { dataset_id }, body: { items: [{ input: 1 }] } }),
    other.call(deleteDataset, { params: { dataset_id } }),
  ]);

  expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
});
