import { createHash, randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { createDataset, deleteDataset, getDataset, listDatasets } from "../../../lib/contract/datasets/datasets.ts";
import { createDatasetItems, listDatasetItems, updateDatasetItem } from "../../../lib/contract/datasets/items.ts";
import { getExperiment, listExperimentItems, listExperiments } from "../../../lib/contract/experiments/experiments.ts";
import {
  createLangfuseDataset,
  createLangfuseDatasetItem,
  createLangfuseDatasetRunItem,
  getLangfuseDataset,
  listLangfuseDatasetItems,
  listLangfuseDatasets,
} from "../../../lib/contract/langfuse/datasets.ts";
import { ingestLangfuse } from "../../../lib/contract/langfuse/ingestion.ts";
import { createLangfuseScores } from "../../../lib/contract/langfuse/scores.ts";
import { exportTracesLangfuse } from "../../../lib/contract/otlp/export-traces.ts";
import { listTraceScores } from "../../../lib/contract/scores/trace-scores.ts";
import { deleteTrace } from "../../../lib/contract/traces/deletion.ts";
import { getTrace } from "../../../lib/contract/traces/traces.ts";
import { traceUuid } from "../../../lib/otlp/wire/span-ids.ts";
import { inTurn } from "../../support/in-turn.ts";
import { langfuseProgram } from "../../support/integrations.ts";
import { jsonExport, jsonSpan } from "../../support/otlp/otlp.ts";
import type { Client } from "../../support/service/client.ts";
import { eventually } from "../../support/service/local-fixture.ts";

const service = inject("service");
const hex = (): string => randomUUID().replaceAll("-", "");

/** A program of a project with a dataset of two items. */
const withDataset = async (name = "evaluation/qa set") => {
  const { program, project } = langfuseProgram(service);
  const dataset = await program.answer(createLangfuseDataset, { body: { name, description: "Questions" } });
  const item = (id: string, fields: object = {}) =>
    program.call(createLangfuseDatasetItem, { body: { datasetName: name, id, input: { q: id }, ...fields } });
  await inTurn(["item 1", "item 2"], (id) => item(id, { expectedOutput: `answer of ${id}`, metadata: { k: 1 } }));
  return { program, project, name, dataset, item };
};

/** Sends a span as the SDKs do, with attributes. @param age milliseconds since its start. */
const sendSpan = (program: Client, trace: string, attributes: Readonly<Record<string, string>> = {}, age = 0) => {
  const at = `${Date.now() - age}000000`;
  const span = jsonSpan(trace, hex().slice(16), { startTimeUnixNano: at, endTimeUnixNano: at }, attributes);
  return program.answer(exportTracesLangfuse, { body: jsonExport([span]) });
};

const summaryOf = (project: Client, experiment_id: string, count: number) =>
  eventually(async () => {
    const reply = await project.call(getExperiment, { params: { experiment_id } });
    return reply.status === 200 && reply.body.trace_count === count ? reply.body : undefined;
  });

test("a dataset of Langfuse's SDKs is one by its name: sent again it is changed, and fields that are absent stay", async () => {
  const { program, project, name, dataset } = await withDataset();

  const changed = await program.answer(createLangfuseDataset, { body: { name, metadata: "x" } });
  const others = await Promise.all(
    ["b", "b", "b"].map((other) => program.answer(createLangfuseDataset, { body: { name: other } })),
  );

  expect(changed).toMatchObject({ id: dataset.id, description: "Questions", metadata: { metadata: "x" } });
  expect(new Set(others.map(({ id }) => id)).size).toBe(1);
  expect(await program.answer(getLangfuseDataset, { params: { dataset_name: name } })).toEqual(changed);
  expect(await project.answer(getDataset, { params: { dataset_id: dataset.id } })).toMatchObject({
    name,
    description: "Questions",
    item_count: 2,
  });
  const page = await program.answer(listLangfuseDatasets, { query: { page: 2, limit: 1 } });
  expect(page).toMatchObject({
    data: [{ id: dataset.id }],
    meta: { page: 2, limit: 1, totalItems: 2, totalPages: 2 },
  });
  expect(await program.call(getLangfuseDataset, { params: { dataset_name: "c" } })).toMatchObject({ status: 404 });
  const withSchema = { name: "d", inputSchema: { type: "object" } };
  expect(await program.call(createLangfuseDataset, { body: withSchema })).toMatchObject({ status: 422 });
  expect((await project.answer(listDatasets)).total).toBe(2);
});

test("an item that is sent again is a new revision, and the items of an instant stay as they were then", async () => {
  const { program, project, name, dataset, item } = await withDataset();
  const params = { dataset_id: dataset.id };
  const list = (query: object = {}) =>
    program.answer(listLangfuseDatasetItems, { query: { datasetName: name, ...query } });
  const before = await list();

  const trace = hex();
  const changed = await item("item 1", { input: null, expectedOutput: "better", sourceTraceId: trace });
  const archived = await item("item 2", { status: "ARCHIVED" });

  expect(changed.body).toMatchObject({
    id: "item 1",
    datasetId: dataset.id,
    datasetName: name,
    status: "ACTIVE",
    input: { q: "item 1" },
    expectedOutput: "better",
    metadata: { k: 1 },
    sourceTraceId: trace,
  });
  expect(archived).toMatchObject({ status: 200, body: { id: "item 2", status: "ARCHIVED" } });
  expect(await list()).toMatchObject({ data: [changed.body], meta: { totalItems: 1, totalPages: 1 } });
  const version = before.data[1]?.version ?? "";
  expect(await list({ version, limit: 1, page: 2 })).toMatchObject({ data: [before.data[1]], meta: { totalPages: 2 } });
  expect((await list({ version })).data).toEqual(before.data);
  expect((await project.answer(listDatasetItems, { params })).items).toMatchObject([
    { external_id: "item 1", expected_output: "better", source: { trace_id: traceUuid(trace) } },
  ]);
  // Without its content an item that was archived would come back empty.
  const refusals = [
    await item("item 2", { input: null, status: "ACTIVE" }),
    await item("item 3", { status: "ARCHIVED" }),
    await item("item 4", { sourceObservationId: "0123456789abcdef" }),
  ];
  expect(refusals.map(({ status }) => status)).toEqual([422, 422, 422]);
  expect((await list()).meta.totalItems).toBe(1);
});

test("a page that is too large for a reply with its escapes is refused, and one with fewer items is not", async () => {
  const { program, project, name, dataset } = await withDataset();
  const items = Array.from({ length: 10 }, () => ({ input: '"'.repeat(120_000) }));
  for (const body of [{ items }, { items }])
    await project.answer(createDatasetItems, { params: { dataset_id: dataset.id }, body });
  const page = (limit: number) =>
    program.call(listLangfuseDatasetItems, { query: { datasetName: name, limit, page: 1 } });

  expect((await page(22)).status).toBe(413);
  expect((await page(8)).status).toBe(200);
});

test("a page of datasets that is too large for a reply is refused, and one with fewer is not", async () => {
  const { program } = langfuseProgram(service);
  const names = Array.from({ length: 14 }, (_, at) => `set ${at}`);
  for (const name of names)
    await program.answer(createLangfuseDataset, { body: { name, metadata: { note: '"'.repeat(140_000) } } });
  const page = (limit: number) => program.call(listLangfuseDatasets, { query: { limit, page: 1 } });

  expect((await page(14)).status).toBe(413);
  expect((await page(7)).status).toBe(200);
});

test("an item's id is of one dataset, until that is deleted", async () => {
  const { program, project, dataset } = await withDataset();
  await program.answer(createLangfuseDataset, { body: { name: "other" } });
  const body = { datasetName: "other", id: "item 1", input: 1 };

  expect(await program.call(createLangfuseDatasetItem, { body })).toMatchObject({ status: 404 });

  await project.answer(deleteDataset, { params: { dataset_id: dataset.id } });

  expect(await program.call(createLangfuseDatasetItem, { body })).toMatchObject({ status: 200 });
});

test("an item's id that its dataset has no longer is that of another one", async () => {
  const { program, item } = await withDataset();
  await program.answer(createLangfuseDataset, { body: { name: "other" } });
  await item("item 1", { status: "ARCHIVED" });

  const moved = await program.answer(createLangfuseDatasetItem, {
    body: { datasetName: "other", id: "item 1", input: 1 },
  });

  expect(moved).toMatchObject({ id: "item 1", datasetName: "other" });
  expect((await item("item 1")).status).toBe(404);
  const body = { runName: "r", datasetItemId: "item 1", traceId: hex() };
  expect(await program.call(createLangfuseDatasetRunItem, { body })).toMatchObject({ status: 200 });
});

test.each([
  ["before its spans, which name no experiment", ["link", "span"]],
  ["after its spans, which name no experiment", ["span", "link"]],
  ["twice between spans that name the experiment", ["named span", "link", "link", "named span"]],
])("a trace that is linked %s is the item's in the experiment", async (_, steps) => {
  const { program, project, dataset } = await withDataset();
  const trace = hex();
  const seed = JSON.stringify(["langfuse-experiment-v1", dataset.projectId, dataset.id, "release 2"]);
  // The id that the SDKs derive, too.
  const id = createHash("sha256").update(seed).digest("hex").slice(0, 16);
  const attributes = {
    "langfuse.experiment.id": id,
    "langfuse.experiment.name": "release 2",
    "langfuse.experiment.item.id": "item 1",
    "langfuse.experiment.dataset.id": dataset.id,
  };
  const body = { runName: "release 2", datasetItemId: "item 1", traceId: trace, runDescription: "Nightly" };
  const links = await inTurn(steps, async (step) => {
    if (step === "link") return program.answer(createLangfuseDatasetRunItem, { body });
    await sendSpan(program, trace, step === "named span" ? attributes : {});
    return null;
  });

  const summary = await summaryOf(project, id, 1);

  expect(new Set(links.flatMap((link) => (link === null ? [] : [link.id]))).size).toBe(1);
  expect(links.find((link) => link !== null)).toMatchObject({
    datasetRunId: id,
    datasetItemId: "item 1",
    traceId: trace,
  });
  expect(summary).toMatchObject({ name: "release 2", dataset: dataset.id, item_count: 1, missing_count: 1 });
  expect((await project.answer(listExperiments)).total).toBe(1);
  const { items } = await project.answer(listExperimentItems, { params: { experiment_id: id } });
  expect(items).toMatchObject([{ traces: [{ trace_id: traceUuid(trace) }] }]);
  const stored = await project.answer(getTrace, { params: { trace_id: traceUuid(trace) } });
  expect(stored).toMatchObject({ experiment: "release 2", experiment_item_id: "item 1" });
  expect(stored.metadata).toMatchObject({ "langfuse.runDescription": "Nightly" });
});

test("a link is refused without an item, with several, and of a deleted trace", async () => {
  const { program, project } = await withDataset();
  const link = (datasetItemId: string, traceId: string | null) =>
    program.call(createLangfuseDatasetRunItem, { body: { runName: "r", datasetItemId, traceId } });
  const trace = hex();
  await sendSpan(program, trace);
  await project.call(deleteTrace, { params: { trace_id: traceUuid(trace) } });
  const { id: dataset_id } = await project.answer(createDataset, { body: { name: "native" } });
  const items = [{ id: "item 2", input: 1 }];
  await project.answer(createDatasetItems, { params: { dataset_id }, body: { items } });

  const replies = [await link("item 3", hex()), await link("item 2", hex()), await link("item 1", trace)];

  expect(replies.map(({ status }) => status)).toEqual([404, 409, 404]);
  expect(await link("item 1", null)).toMatchObject({ status: 422 });
  await project.answer(updateDatasetItem, { params: { dataset_id, item_id: "item 2" }, body: { input: 2 } });
  const other = langfuseProgram(service).program;
  const body = { runName: "r", datasetItemId: "item 1", traceId: hex() };
  expect(await other.call(createLangfuseDatasetRunItem, { body })).toMatchObject({ status: 404 });
});

test("scores of a dataset run are the experiment's own, and replaced by their ids", async () => {
  const { program, project } = await withDataset();
  const score = { id: "s-1", name: "mean", value: 0.5, comment: "of two" };
  const body = { runName: "r", datasetItemId: "item 1", traceId: hex() };

  const { datasetRunId } = await program.answer(createLangfuseDatasetRunItem, { body });
  await program.answer(createLangfuseScores, { body: { ...score, datasetRunId, value: 0.4 } });
  const event = { id: randomUUID(), type: "score-create", timestamp: new Date().toISOString() };
  const batch = [{ ...event, body: { ...score, datasetRunId } }];
  const { errors } = await program.answer(ingestLangfuse, { body: { batch } });
  const both = await program.call(createLangfuseScores, { body: { ...score, datasetRunId, traceId: hex() } });

  expect(errors).toEqual([]);
  expect(both).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "datasetRunId"] }] } });
  const { scores } = await summaryOf(project, datasetRunId, 1);
  expect(scores).toMatchObject([
    { external_id: "s-1", name: "mean", value: "0.5", data_type: "NUMERIC", reason: "of two" },
  ]);
  expect((await project.answer(listTraceScores)).total).toBe(0);
});

test("an experiment has at most 100 scores of its own", async () => {
  const { program } = await withDataset();
  const scores = Array.from({ length: 110 }, (_, at) => ({
    id: `s-${at}`,
    datasetRunId: "r",
    name: `s ${at}`,
    value: at,
  }));

  const replies = await inTurn([scores, scores], (body) => program.answer(createLangfuseScores, { body }));

  expect(replies).toMatchObject([
    { accepted: 100, rejected: 10 },
    { accepted: 100, rejected: 10 },
  ]);
});

test("a score that comes before its trace has the trace's environment", async () => {
  const { program, project } = langfuseProgram(service);
  const [early, moved] = [hex(), hex()];
  const score = (traceId: string) => program.answer(createLangfuseScores, { body: { traceId, name: "s", value: 1 } });

  await score(early);
  await sendSpan(program, moved);
  await score(moved);
  for (const trace of [early, moved])
    await sendSpan(program, trace, { "langfuse.environment": "sdk-experiment" }, 1_000);

  const scores = await eventually(async () => {
    const page = await project.answer(listTraceScores, { query: { environment: "sdk-experiment" } });
    return page.items.length === 2 ? page.items : undefined;
  });
  expect(new Set(scores.map(({ trace_id: id }) => id))).toEqual(new Set([early, moved].map(traceUuid)));
});
