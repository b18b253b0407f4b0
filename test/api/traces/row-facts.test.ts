import { randomBytes, randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { createApiKey } from "../../../lib/contract/access/api-keys.ts";
import { createProject, getProject, listProjects, updateProject } from "../../../lib/contract/access/projects.ts";
import { createTraces } from "../../../lib/contract/traces/batch.ts";
import { createSpans, tagTraces, updateSpan, updateTrace } from "../../../lib/contract/traces/changes.ts";
import { createTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { traceUuid } from "../../../lib/otlp/wire/span-ids.ts";
import { projectNames } from "../../../lib/store/traces/facts/names.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { jsonExport, jsonSpan, sendJsonExport } from "../../support/otlp/otlp.ts";
import { expectStatus } from "../../support/reply-shape.ts";
import { clientWith } from "../../support/service/client.ts";
import { databaseAt } from "../../support/service/service-database.ts";
import { people } from "../../support/users.ts";

const service = inject("service");
const database = databaseAt(inject("storage"));
const { organization } = people();

const declaring = async (metadata_keys: string[]) => {
  const { owner, params } = await organization();
  const { raw_key: key } = await owner.answer(createApiKey, { params, body: { name: "k" } });
  const name = `p${randomUUID()}`;
  const project = await owner.answer(createProject, { params, body: { name, metadata_keys } });
  const headers = { "X-API-Key": key ?? "", "X-Project-Name": name };
  return {
    owner,
    params: { ...params, project_id: project.id },
    project,
    headers,
    writer: clientWith(service, headers),
    member: clientWith(service, { Authorization: `Bearer ${owner.token}`, "X-Project-ID": project.id }),
  };
};

const factsOf = async (project: { readonly id: string }, trace: string) =>
  (await traceReader(database).locate(project.id, trace))?.row.facts;

const started_at = "2026-10-01T10:00:00.000000+00:00";

test("a row has the values of the metadata keys that its project has declared, on every route that writes", async () => {
  const { writer, member, project, headers } = await declaring(["tier", "seats", "note", "absent"]);
  const body = { name: "x", started_at, metadata: { tier: "gold", seats: 12, note: "x".repeat(129), other: "y" } };
  const expectedMetadata = [
    { key: "tier", value: "gold" },
    { key: "seats", value: "12" },
    { key: "note", value: null },
  ];

  const created = await writer.answer(createTrace, { body });
  const asMember = await member.answer(createTrace, { body: { ...body, trace_id: randomUUID() } });
  const { results } = await writer.answer(createTraces, { body: { traces: [body] } });
  const exported = randomBytes(16).toString("hex");
  const root = randomBytes(8).toString("hex");
  await sendJsonExport(service, headers, jsonExport([jsonSpan(exported, root)]));

  for (const id of [created.trace_id, asMember.trace_id, results[0]?.trace_id ?? ""]) {
    expect((await factsOf(project, id))?.metadata).toEqual(expectedMetadata);
  }
  expect((await factsOf(project, traceUuid(exported)))?.metadata).toEqual([]);
});

test("traces are found by the metadata of their OpenTelemetry root, which arrives after its children", async () => {
  const { writer, headers } = await declaring(["plan"]);
  const [plan, root, child] = [JSON.stringify({ plan: "pro" }), "00000000000000a1", "00000000000000a2"];
  const rootAttributes = [
    { metadata: plan },
    { "langfuse.trace.metadata.plan": '"pro"' },
    { "langfuse.trace.metadata": plan },
    { "langsmith.metadata.plan": "pro" },
    { "traceloop.association.properties.plan": "pro" },
    { "ai.telemetry.metadata.plan": "pro" },
    { plan: "pro" },
  ].map((attributes) => ({ attributes, traceId: randomBytes(16).toString("hex") }));
  const [children, roots] = [
    rootAttributes.map(({ traceId }) => jsonSpan(traceId, child, { parentSpanId: root }, { metadata: '{"plan":"x"}' })),
    rootAttributes.map(({ traceId, attributes }) => jsonSpan(traceId, root, {}, attributes)),
  ];

  for (const spans of [children, roots]) await sendJsonExport(service, headers, jsonExport(spans));
  const { items } = await writer.answer(listTraces, { query: { "metadata.plan": "pro" } });

  expect(items.map(({ trace_id: id }) => id).toSorted()).toEqual(
    rootAttributes.map(({ traceId }) => traceUuid(traceId)).toSorted(),
  );
});

test("a key that is declared later is in a row after a change of its trace other than tags and late spans", async () => {
  const { owner, params, writer, project, headers } = await declaring([]);
  const span_id = randomUUID();
  const body = { name: "x", started_at, metadata: { tier: "gold" }, spans: [{ span_id, name: "s", started_at }] };
  const ids: string[] = [];
  for (let count = 0; count < 4; count += 1) ids.push((await writer.answer(createTrace, { body })).trace_id);
  const [patched = "", appended = "", spanned = "", resent = ""] = ids;
  const exported = randomBytes(16).toString("hex");
  const span = () => jsonSpan(exported, randomBytes(8).toString("hex"));
  await sendJsonExport(service, headers, jsonExport([span()]));

  const declared = await owner.answer(updateProject, { params, body: { metadata_keys: ["tier", "otel.trace_id"] } });
  const before = await Promise.all(ids.map((id) => factsOf(project, id)));
  await writer.answer(updateTrace, { params: { trace_id: patched }, body: { output: "y" } });
  await writer.answer(createSpans, { params: { trace_id: appended }, body: [{ name: "late", started_at }] });
  await writer.answer(updateSpan, { params: { trace_id: spanned, span_id }, body: { status: "ERROR" } });
  await writer.answer(createTrace, { body: { ...body, trace_id: resent, output: "z" } });
  await sendJsonExport(service, headers, jsonExport([span()]));
  await writer.answer(tagTraces, { body: { trace_ids: [patched], add_tags: ["new"] } });

  expect(declared.metadata_keys).toEqual(["tier", "otel.trace_id"]);
  expect(before.map((facts) => facts?.metadata)).toEqual([[], [], [], []]);
  for (const id of [patched, spanned, resent])
    expect((await factsOf(project, id))?.metadata).toEqual([{ key: "tier", value: "gold" }]);
  expect((await factsOf(project, spanned))?.spans.errors).toBe(1);
  expect((await factsOf(project, traceUuid(exported)))?.metadata).toEqual([{ key: "otel.trace_id", value: exported }]);
});

test("a project returns its declared keys, keeps them when it is renamed, and can remove them", async () => {
  const { owner, params, project } = await declaring(["tier", "tier", "seats"]);
  const name = `p${randomUUID()}`;

  const renamed = await owner.answer(updateProject, { params, body: { name } });
  const storedProject = await owner.answer(getProject, { params });
  const { items } = await owner.page(listProjects, { params });
  const key = (await owner.answer(createApiKey, { params, body: { name: "k" } })).raw_key;
  const renamedProject = clientWith(service, { "X-API-Key": key ?? "", "X-Project-Name": name });
  const body = { name: "x", started_at, metadata: { tier: "gold" } };
  const { trace_id } = await renamedProject.answer(createTrace, { body });
  const cleared = await owner.answer(updateProject, { params, body: { metadata_keys: [] } });
  const after = await renamedProject.answer(createTrace, { body });

  expect(project.metadata_keys).toEqual(["tier", "seats"]);
  expect(
    [renamed, storedProject, items.find(({ id }) => id === project.id)].map((each) => each?.metadata_keys),
  ).toEqual([
    ["tier", "seats"],
    ["tier", "seats"],
    ["tier", "seats"],
  ]);
  expect((await factsOf(project, trace_id))?.metadata).toEqual([{ key: "tier", value: "gold" }]);
  expect(cleared).toMatchObject({ name, metadata_keys: [] });
  expect((await factsOf(project, after.trace_id))?.metadata).toEqual([]);
});

test("invalid keys are refused, and the project keeps those that it has", async () => {
  const { owner, params } = await declaring(["tier"]);
  const { org_id } = params;
  const eleven = Array.from({ length: 11 }, (_, index) => `key-${index}`);

  for (const metadata_keys of [eleven, [""], ["x".repeat(65)], [7], "tier"]) {
    expectStatus(await owner.call(updateProject, { params, body: { metadata_keys } }), 422);
    expectStatus(await owner.call(createProject, { params: { org_id }, body: { name: "other", metadata_keys } }), 422);
  }
  await owner.answer(updateProject, { params, body: { metadata_keys: null, description: "Till" } });

  expect(await owner.answer(getProject, { params })).toMatchObject({ metadata_keys: ["tier"], description: "Till" });
});

test("a row has errors, models, tools, the source of costs and the beginning of the input", async () => {
  const { writer, project } = await declaring([]);
  const spans = [
    {
      name: "chat",
      kind: "LLM",
      model: "gpt-5.4",
      started_at,
      token_usage: { prompt_tokens: 7 },
      cost: { total: 0.5 },
    },
    { name: "chat", kind: "LLM", model: "local", started_at, token_usage: { prompt_tokens: 30, completion_tokens: 2 } },
    { name: "lookup", kind: "TOOL", started_at, error: "no such order" },
  ];
  const input = `Where is\n\tmy \u202eorder? ${"é\u{1f600}".repeat(100)}`;

  const { trace_id } = await writer.answer(createTrace, { body: { name: "x", started_at, input, spans } });
  const facts = await factsOf(project, trace_id);
  const names = await projectNames(database).list(project.id);

  expect(facts).toEqual({
    spans: {
      errors: 1,
      models: { numbers: [1, 2], hasMore: false },
      tools: { numbers: [1], hasMore: false },
      costs: ["client"],
      unpricedTokens: 32,
    },
    preview: `Where is my order? ${"é\u{1f600}".repeat(100)}`.replace(/^((?:.){120}).*$/su, "$1"),
    metadata: [],
    provenance: { prompts: [], dataset: null, experiment: null, experimentId: null, experimentItem: null },
    firstError: { at: "2026-10-01T10:00:00+00:00", text: "no such order" },
  });
  expect([...names.models.keys(), ...names.tools.keys()]).toEqual(["gpt-5.4", "local", "lookup"]);
});
