import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import {
  listLabelItems,
  putLabels,
  takeNextLabelItem,
  uploadLabels,
} from "../../../lib/contract/labels/label-items.ts";
import {
  closeLabelSet,
  createLabelSet,
  deleteLabelSet,
  getLabelSet,
  listLabelSets,
} from "../../../lib/contract/labels/label-sets.ts";
import { listTraceScores, createTraceScore } from "../../../lib/contract/scores/trace-scores.ts";
import { updateTrace } from "../../../lib/contract/traces/changes.ts";
import { deleteTrace } from "../../../lib/contract/traces/deletion.ts";
import { getTrace } from "../../../lib/contract/traces/traces.ts";
import { inTurn } from "../../support/in-turn.ts";
import { labellingKeys, newLabelSet, scale, storeTraces } from "../../support/labels.ts";
import { problems } from "../../support/reply-shape.ts";
import { newProject, type Client } from "../../support/service/client.ts";
import { people } from "../../support/users.ts";

const service = inject("service");
const world = people();

const take = (client: Client, set_id: string) => client.answer(takeNextLabelItem, { params: { set_id } });

const label = (client: Client, set_id: string, item_id: string, body: object) =>
  client.call(putLabels, { params: { set_id, item_id }, body });

/** Takes the next item and labels it; returns its trace. */
const takeAndLabel = async (client: Client, set_id: string, labels: object, note?: string) => {
  const { item } = await take(client, set_id);
  expect(await label(client, set_id, item?.id ?? "", { labels, note })).toMatchObject({ status: 200 });
  return { trace: item?.trace_id ?? "", item: item?.id ?? "" };
};

const scoresOf = async (project: Client, trace_id: string) =>
  (await project.page(listTraceScores, { query: { trace_id } })).items;

test("a set is created once per key from the traces that match, and deleted with its labels", async () => {
  const project = newProject(service);
  await storeTraces(project, 25);
  const headers = { "Idempotency-Key": randomUUID() };
  const body = { name: "refunds", metrics: [{ name: "task_completion" }, { name: "helpful", scale }], size: 20 };

  const created = await project.answer(createLabelSet, { body, headers });
  const params = { set_id: created.id };

  expect(created).toMatchObject({ name: "refunds", item_count: 20, blind: "page", status: "OPEN", draw: "random" });
  expect(created.metrics.map(({ scale: each }) => [each.data_type, each.threshold])).toEqual([
    ["NUMERIC", 0.5],
    ["NUMERIC", 0.5],
  ]);
  expect(await project.answer(createLabelSet, { body, headers })).toEqual(created);
  expect(await project.page(listLabelSets)).toMatchObject({ total: 1, items: [created] });
  const { items } = await project.answer(listLabelItems, { params, query: { limit: 100 } });
  expect(new Set(items.map(({ trace_id }) => trace_id)).size).toBe(20);

  await project.answer(deleteLabelSet, { params });

  for (const route of [getLabelSet, listLabelItems, deleteLabelSet, takeNextLabelItem])
    expect(await project.call(route, { params })).toMatchObject({ status: 404 });
});

test.each([
  [{ metrics: [{ name: "task_completon" }] }, "body.metrics.0.name", "task_completion"],
  [{ metrics: [{ name: "task_completion", scale }] }, "body.metrics.0.scale", "its own scale"],
  [{ labels_per_itm: 2 }, "body.labels_per_itm", "labels_per_item"],
  [{ filters: { environment: "nowhere" } }, "body.filters", "0 match"],
  [{ draw: "lowest", by: "helpful" }, "body.filters", "0 match"],
  [{ trace_ids: [randomUUID()] }, "body.trace_ids.0", "no trace"],
  [{ metrics: [{ name: "a", scale: { ...scale, max: 0 } }] }, "body.metrics.0.scale", "less than max"],
])("a set with %j is refused", async (fields, loc, words) => {
  const project = newProject(service);
  await storeTraces(project, 20);
  const body = { name: "set", metrics: [{ name: "helpful", scale }], ...fields };

  const reply = await project.call(createLabelSet, { body });

  expect(problems(reply)).toEqual([loc]);
  expect(reply.text).toContain(words);
  expect(await project.page(listLabelSets)).toMatchObject({ total: 0 });
});

test("people label different items without verdicts, and labels become scores when the set closes", async () => {
  const { full, labellers } = await labellingKeys(service, world, 2);
  const [ada, bob] = labellers as [Client, Client];
  const traces = await storeTraces(full, 20);
  await full.answer(createTraceScore, {
    body: { trace_id: traces[0], name: "helpful", value: false, source: "PROGRAMMATIC" },
  });
  const { id: set_id } = await newLabelSet(full);
  const params = { set_id };

  const [first, second] = [await take(ada, set_id), await take(bob, set_id)];

  expect(first.item?.id).not.toBe(second.item?.id);
  expect((await take(ada, set_id)).item).toEqual(first.item);
  expect(first.trace).toEqual(await full.answer(getTrace, { params: { trace_id: first.item?.trace_id ?? "" } }));
  expect(await label(bob, set_id, first.item?.id ?? "", { labels: { helpful: true } })).toMatchObject({ status: 409 });
  expect(problems(await label(ada, set_id, first.item?.id ?? "", { labels: { helpful: 3 } }))).toEqual([
    "body.labels.helpful",
  ]);

  const done = await takeAndLabel(ada, set_id, { helpful: true }, "Polite.");
  expect(await label(ada, set_id, done.item, { labels: { helpful: true }, note: "Polite." })).toMatchObject({
    status: 200,
  });
  const untold = await takeAndLabel(bob, set_id, { helpful: { cannot_tell: true } });
  const changed = await takeAndLabel(ada, set_id, { helpful: "false" });
  const deleted = await takeAndLabel(ada, set_id, { helpful: false });
  await full.answer(updateTrace, { params: { trace_id: changed.trace }, body: { output: "Another answer." } });
  await full.answer(deleteTrace, { params: { trace_id: deleted.trace } });

  const { items } = await full.answer(listLabelItems, { params, query: { limit: 100 } });
  expect(items.filter(({ is_stale }) => is_stale).map(({ trace_id }) => trace_id)).toEqual([changed.trace]);
  expect(items.filter(({ is_deleted }) => is_deleted).map(({ trace_id }) => trace_id)).toEqual([deleted.trace]);
  expect(await full.answer(getLabelSet, { params })).toMatchObject({
    labelled_count: 4,
    label_count: 4,
    cannot_tell_count: 1,
  });
  expect(await scoresOf(full, done.trace)).toHaveLength(done.trace === traces[0] ? 1 : 0);

  const closed = await full.answer(closeLabelSet, { params });

  expect(closed).toMatchObject({ status: "CLOSED", published_count: 1, unpublished_count: 2 });
  const [score] = await scoresOf(full, done.trace);
  expect(score).toMatchObject({
    name: "helpful",
    value: "true",
    data_type: "BOOLEAN",
    source: "ANNOTATION",
    reason: "Polite.",
    metadata: { label_set_id: set_id, labeller: { type: "API_KEY" } },
  });
  expect(await scoresOf(full, untold.trace)).toHaveLength(untold.trace === traces[0] ? 1 : 0);
  expect(await full.answer(closeLabelSet, { params })).toEqual(closed);
  expect(await label(ada, set_id, done.item, { labels: { helpful: false } })).toMatchObject({ status: 409 });
  expect(await ada.call(takeNextLabelItem, { params })).toMatchObject({ status: 409 });
});

test("scores that labels become pass or fail by the scale of their set, so that pass rates keep their traces", async () => {
  const project = newProject(service);
  await storeTraces(project, 20);
  const categories = { data_type: "CATEGORICAL", categories: ["kind", "rude"], passing: ["kind"] };
  const metrics = [
    { name: "helpful", scale },
    { name: "tone", scale: categories },
  ];
  const { id: set_id } = await newLabelSet(project, { metrics });
  const { trace } = await takeAndLabel(project, set_id, { helpful: 0.5, tone: "rude" });

  await project.answer(closeLabelSet, { params: { set_id } });

  const scores = await scoresOf(project, trace);
  expect(Object.fromEntries(scores.map(({ name, metadata }) => [name, metadata]))).toMatchObject({
    helpful: { threshold: 0.5, success: true },
    tone: { success: false },
  });
});

test("an item of a deleted or changed trace is passed over, and told", async () => {
  const project = newProject(service);
  const traces = await storeTraces(project, 21);
  const { id: set_id } = await newLabelSet(project, { size: 21 });
  const [, second = "", ...others] = traces;
  await project.answer(updateTrace, { params: { trace_id: second }, body: { output: "Another answer." } });
  await inTurn(others, (trace_id) => project.answer(deleteTrace, { params: { trace_id } }));

  const { item, set } = await take(project, set_id);
  await label(project, set_id, item?.id ?? "", { labels: { helpful: true } });

  expect(item?.trace_id).toBe(traces[0]);
  expect(await take(project, set_id)).toMatchObject({ item: null, reason: "done" });
  expect((await project.answer(getLabelSet, { params: { set_id } })).passed_over_count).toBe(20);
  expect(set.item_count).toBe(21);
});

test("labels are exported as they can be sent again, and an upload stays another one's", async () => {
  const project = newProject(service);
  await storeTraces(project, 20);
  const metrics = [
    { name: "helpful", scale },
    { name: 'tone, "odd"', scale: { data_type: "CATEGORICAL", categories: ["1.0", "x"], passing: ["x"] } },
  ];
  const { id: set_id } = await newLabelSet(project, { metrics, labels_per_item: 2 });
  const [params, copy] = [{ set_id }, { set_id: (await newLabelSet(project, { metrics, labels_per_item: 2 })).id }];
  await takeAndLabel(project, set_id, { helpful: 0.25, 'tone, "odd"': "1.0" }, 'Said "no",\nthen yes.');
  await takeAndLabel(project, set_id, { helpful: "cannot_tell" });
  const read = async (where: { readonly set_id: string }) =>
    (await project.answer(listLabelItems, { params: where, query: { limit: 100 } })).items.flatMap(
      ({ trace_id, labels }) =>
        labels.map(({ values, cannot_tell, note }) => ({ trace_id, values, cannot_tell, note })),
    );
  const idOf = new Map(
    (await project.answer(listLabelItems, { params: copy, query: { limit: 100 } })).items.map(({ id, trace_id }) => [
      trace_id,
      id,
    ]),
  );
  const original = await project.answer(listLabelItems, { params, query: { limit: 100 } });

  for (const type of ["application/x-ndjson", "text/csv"]) {
    const exported = await project.call(listLabelItems, { params, headers: { Accept: type } });
    const bytes = original.items.reduce(
      (text, { id, trace_id }) => text.replaceAll(id, idOf.get(trace_id) ?? ""),
      exported.text,
    );
    const reply = await project.call(uploadLabels, { params: copy, bytes, headers: { "Content-Type": type } });
    expect(reply).toMatchObject({ status: 200, body: { stored: 2 } });
    const byTrace = (labels: Awaited<ReturnType<typeof read>>) =>
      labels.toSorted((a, b) => (a.trace_id < b.trace_id ? -1 : 1));
    expect(byTrace(await read(copy))).toEqual(byTrace(await read(params)));
    // Sent to its own set it adds nobody, and changes nothing of a signed-in person.
    const sendBack = (text: string) =>
      project.call(uploadLabels, { params, bytes: text, headers: { "Content-Type": type } });
    expect(await sendBack(exported.text)).toMatchObject({ status: 200, body: { stored: 0 } });
    expect(await sendBack(exported.text.replace("0.25", "0.75"))).toMatchObject({ status: 422 });
    expect(await project.answer(listLabelItems, { params, query: { limit: 100 } })).toEqual(original);
  }
  const { items } = await project.answer(listLabelItems, { params: copy, query: { limit: 100 } });
  expect(items.flatMap(({ labels }) => labels.map(({ labeller }) => labeller.type))).toEqual(["UPLOAD", "UPLOAD"]);
});

test("an upload with a bad line stores nothing and names the line", async () => {
  const project = newProject(service);
  const traces = await storeTraces(project, 120);
  const { id: set_id } = await newLabelSet(project, { size: 120 });
  const params = { set_id };
  const line = (at: number, labels: object, labeller = "Ada") =>
    JSON.stringify({ trace_id: traces[at], labeller, labels });
  const send = (...lines: readonly string[]) =>
    project.call(uploadLabels, {
      params,
      bytes: lines.join("\n"),
      headers: { "Content-Type": "application/x-ndjson" },
    });

  const replies = [
    await send(line(0, { helpful: true }), line(1, { helpful: "maybe" })),
    await send(line(0, { helpful: true }), line(1, { helpfull: true })),
    await send(...traces.slice(0, 110).map((_, at) => line(at, { helpful: true })), line(0, { helpful: true }, "Bob")),
    await send(
      line(0, { helpful: true }),
      JSON.stringify({ trace_id: randomUUID(), labeller: "Ada", labels: { helpful: true } }),
    ),
  ];

  expect(replies.map((reply) => problems(reply)[0])).toEqual([
    "body.line.2.labels.helpful",
    "body.line.2.labels.helpfull",
    "body.line.111",
    "body.line.2.trace_id",
  ]);
  expect(await project.answer(getLabelSet, { params })).toMatchObject({ label_count: 0 });
});
