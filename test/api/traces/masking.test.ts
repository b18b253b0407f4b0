import { randomUUID } from "node:crypto";
import { brotliDecompressSync, inflateRawSync } from "node:zlib";
import { paginateScan } from "@aws-sdk/lib-dynamodb";
import { expect, inject, test } from "vitest";
import { createApiKey } from "../../../lib/contract/access/api-keys.ts";
import { previewMasking } from "../../../lib/contract/access/masking.ts";
import { createProject, getProject, updateProject } from "../../../lib/contract/access/projects.ts";
import type { Route } from "../../../lib/contract/route.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { createTraceScore } from "../../../lib/contract/scores/trace-scores.ts";
import { exportTraces } from "../../../lib/contract/otlp/export-traces.ts";
import { createSpans, updateTrace } from "../../../lib/contract/traces/changes.ts";
import { createTrace, getTrace, listTraces, listUsers } from "../../../lib/contract/traces/traces.ts";
import { tableNames } from "../../../lib/dynamo/table.ts";
import { inTurn } from "../../support/in-turn.ts";
import { hexId, jsonExport, jsonSpan } from "../../support/otlp/otlp.ts";
import { expectStatus } from "../../support/reply-shape.ts";
import { type Client, clientWith } from "../../support/service/client.ts";
import { databaseAt } from "../../support/service/service-database.ts";
import { people } from "../../support/users.ts";

const service = inject("service");
const database = databaseAt(inject("storage"));
const { organization } = people();

const started_at = "2026-11-21T09:00:00.000000+00:00";
const boundary = "langsmith-test-boundary-0123";
const rules = { keys: ["password"], paths: ["$.metadata.customer"], presets: ["email"] };

const projectWith = async (masking: object | null) => {
  const { owner, params } = await organization();
  const { raw_key: key } = await owner.answer(createApiKey, { params, body: { name: "k" } });
  const name = `p${randomUUID()}`;
  const project = await owner.answer(createProject, { params, body: { name, ...(masking !== null && { masking }) } });
  const client = clientWith(service, { "X-API-Key": key ?? "", "X-Project-Name": name });
  return { owner, project, client, params: { ...params, project_id: project.id } };
};

/** The text that a stored value may be in another form. */
const decoded = (value: Uint8Array): string => {
  const bytes = Buffer.from(value);
  const forms = [
    () => brotliDecompressSync(bytes.subarray(1)),
    () => inflateRawSync(bytes),
    () => brotliDecompressSync(bytes),
  ].map((unpack) => {
    try {
      return unpack().toString();
    } catch {
      return "";
    }
  });
  return [bytes.toString(), ...forms].join("\n");
};

/** All that is stored, as text. */
const storedText = async (): Promise<string> => {
  const texts: string[] = [];
  for (const table of tableNames) {
    const input = { TableName: database.table(table), ConsistentRead: true };
    for await (const { Items = [] } of paginateScan({ client: database.client }, input))
      for (const value of Items.flatMap((item) => Object.values(item)))
        texts.push(value instanceof Uint8Array ? decoded(value) : JSON.stringify(value));
  }
  return texts.join("\n");
};

interface Targets {
  readonly trace_id: string;
  readonly span_id: string;
  readonly score_id: string;
  readonly session_score_id: string;
}

/** Requests of the routes that take traces, spans, log events or scores, with a secret in every text but ids. */
const requests = (secret: string, { trace_id, span_id, score_id, session_score_id }: Targets) => {
  const content = { input: { q: [secret] }, output: `{"a":"${secret}"}`, metadata: { note: secret, [secret]: 1 } };
  const span = {
    name: secret,
    started_at,
    ...content,
    model: secret,
    error: secret,
    model_parameters: { stop: secret },
  };
  const trace = { name: secret, started_at, ...content, tags: [secret], environment: secret, release: secret };
  const usage = { token_usage: { tier: secret }, cost: { total: 1, source: secret } };
  const score = { name: "s", value: secret, data_type: "CATEGORICAL", source: "PROGRAMMATIC", reason: secret };
  const scored = { ...score, metadata: content.metadata };
  const attributes = {
    "gen_ai.prompt.0.content": secret,
    "gen_ai.prompt.0.role": "user",
    "langfuse.trace.name": secret,
    "langfuse.trace.metadata.x": secret,
    "input.value": `{"text":"${secret}"}`,
    "gen_ai.request.model": secret,
    "deployment.environment.name": secret,
    other: secret,
  };
  const attributeList = (of: object) =>
    Object.entries(of).map(([key, stringValue]) => ({ key, value: { stringValue } }));
  const otlp = () => {
    const events = [
      { name: secret, timeUnixNano: "1795251600000000000", attributes: attributeList({ text: secret }) },
      {
        name: "gen_ai.evaluation.result",
        timeUnixNano: "1795251600000000000",
        attributes: attributeList({
          "gen_ai.evaluation.name": "s",
          "gen_ai.evaluation.score.label": secret,
          "gen_ai.evaluation.explanation": secret,
        }),
      },
    ];
    const fields = { name: secret, status: { code: 2, message: secret }, events };
    return { body: jsonExport([jsonSpan(hexId(16), hexId(8), fields, attributes)], { "service.name": secret }) };
  };
  const logs = {
    resourceLogs: [
      {
        resource: { attributes: attributeList({ "service.name": secret }) },
        scopeLogs: [
          {
            logRecords: ["gen_ai.user.message", "gen_ai.choice"].map((eventName) => ({
              eventName,
              traceId: hexId(16),
              spanId: hexId(8),
              timeUnixNano: "1795251600000000000",
              attributes: attributeList({ text: secret }),
              body: { kvlistValue: { values: attributeList({ content: secret }) } },
            })),
          },
        ],
      },
    ],
  };
  const run = () => ({
    id: randomUUID(),
    name: secret,
    run_type: "chain",
    start_time: started_at,
    inputs: { q: secret },
    outputs: { a: secret },
    error: secret,
    tags: [secret],
    extra: { metadata: { x: secret }, runtime: { y: secret } },
    serialized: { z: secret },
  });
  const feedback = { run_id: trace_id, trace_id, key: "f", value: secret, comment: secret, correction: { x: secret } };
  const langfuseScore = { traceId: trace_id, name: "l", value: secret, comment: secret, metadata: { x: secret } };
  const event = (type: string, body: object) => ({ id: randomUUID(), type, timestamp: started_at, body });
  const langfuse = { id: randomUUID(), name: secret, input: secret, output: { x: secret }, metadata: { x: secret } };
  return {
    createTrace: { body: { ...trace, spans: [{ ...span, ...usage }] } },
    createTraces: {
      body: {
        traces: [
          { ...trace, spans: [span] },
          { ...trace, trace_id },
        ],
      },
    },
    exportTraces: otlp(),
    exportTracesLangfuse: otlp(),
    exportTracesLangsmith: otlp(),
    exportTracesLangsmithEndpoint: otlp(),
    exportLogs: { body: logs },
    createLangfuseScores: { body: [langfuseScore, { ...langfuseScore, id: `x${secret.length}` }] },
    ingestLangfuse: {
      body: {
        batch: [
          event("trace-create", { ...langfuse, tags: [secret], release: secret }),
          event("generation-create", {
            ...langfuse,
            traceId: langfuse.id,
            model: secret,
            statusMessage: secret,
            modelParameters: { x: secret },
          }),
          event("score-create", langfuseScore),
        ],
      },
    },
    ingestLangsmithRuns: {
      bytes: `--${boundary}\r\nContent-Disposition: form-data; name="post.${trace_id}"\r\n\r\n${JSON.stringify({ ...run(), id: trace_id })}\r\n--${boundary}--\r\n`,
      headers: { "Content-Type": `multipart/form-data; boundary=${boundary}` },
    },
    ingestLangsmithBatch: { body: { post: [run()], feedback: [feedback] } },
    createLangsmithRun: { body: run() },
    updateLangsmithRun: { params: { run_id: trace_id }, body: { ...run(), trace_id, id: undefined } },
    createLangsmithFeedback: { body: { ...feedback, id: "f1" } },
    updateLangsmithFeedback: { params: { feedback_id: "f1" }, body: { comment: secret, value: secret } },
    createLangfuseDatasetRunItem: null,
    createSpans: { params: { trace_id }, body: [span] },
    updateTrace: { params: { trace_id }, body: { ...trace, started_at: undefined } },
    updateSpan: { params: { trace_id, span_id }, body: { ...span, ...usage, started_at: undefined } },
    tagTraces: { body: { trace_ids: [trace_id], add_tags: [secret] } },
    createTraceScore: { body: { ...scored, trace_id } },
    putTraceScore: { params: { score_id: randomUUID() }, body: { ...scored, trace_id } },
    updateTraceScore: { params: { score_id }, body: { reason: secret, value: secret, metadata: content.metadata } },
    createSessionScore: { body: { ...scored, session_id: "chat" } },
    putSessionScore: { params: { score_id: randomUUID() }, body: { ...scored, session_id: "chat" } },
    updateSessionScore: { params: { score_id: session_score_id }, body: { reason: secret, value: secret } },
  } satisfies Readonly<Record<string, object | null>>;
};

/** Routes that store nothing of a body, or only datasets and rules, which masking leaves out. */
const others = /^(?:exportMetrics|createLangfuseMedia|deleteTraces)$|Dataset(?:Items?)?$/u;
const takesTelemetry = ({ id, path, permission, body }: Route): boolean =>
  body !== undefined &&
  (permission === "ingest" || permission === "write") &&
  (permission === "ingest" || /^\/(?:traces|langsmith|api)\/|-scores/u.test(path)) &&
  !others.test(id);

const sentTo = async (client: Client, secretOf: (route: string) => string) => {
  const span_id = randomUUID();
  const spans = [{ name: "s", started_at, span_id }];
  const { trace_id } = await client.answer(createTrace, { body: { name: "t", started_at, session_id: "chat", spans } });
  const score = { name: "c", value: "x", data_type: "CATEGORICAL", source: "PROGRAMMATIC" };
  const { id: score_id } = await client.answer(createTraceScore, { body: { ...score, trace_id } });
  const sessionScores = routes.find(({ id }) => id === "createSessionScore");
  if (sessionScores === undefined) throw new Error("There is no such route.");
  const { body } = await client.call(sessionScores, { body: { ...score, session_id: "chat" } });
  const targets = { trace_id, span_id, score_id, session_score_id: String(Object(body).id) };
  const ids = Object.keys(requests("", targets));
  for (const id of ids) {
    const route = routes.find((each) => each.id === id);
    const request = Object.entries(requests(secretOf(id), targets)).find(([name]) => name === id)?.[1] ?? null;
    if (route === undefined) throw new Error(`There is no route ${id}.`);
    if (request === null) continue;
    const reply = await client.call(route, request);
    expect([id, reply.status, reply.status < 300 ? "" : reply.text]).toEqual([id, route.success, ""]);
    if (id === "ingestLangfuse") expect(reply.body).toMatchObject({ errors: [] });
  }
  return ids;
};

test("no route that takes traces, spans, log events or scores stores a text that the project masks", async () => {
  const [masked, plain] = [await projectWith(rules), await projectWith(null)];
  const run = randomUUID().slice(0, 8);
  const secretOf = (kind: string) => (route: string) => `${kind}.${route.toLowerCase()}.${run}@secret.example`;

  const ids = await sentTo(masked.client, secretOf("masked"));
  await sentTo(plain.client, secretOf("plain"));
  const stored = await storedText();

  expect(ids.toSorted()).toEqual(
    routes
      .filter(takesTelemetry)
      .map(({ id }) => id)
      .toSorted(),
  );
  const storedBy = (kind: string) => ids.filter((id) => stored.includes(secretOf(kind)(id).split("@")[0] ?? ""));
  expect(storedBy("masked")).toEqual([]);
  expect(storedBy("plain")).toEqual(ids.filter((id) => id !== "createLangfuseDatasetRunItem"));
});

test("a masked trace has the same ids, counts what is masked, and merges with what arrives later", async () => {
  const { client, owner, params } = await projectWith(rules);
  const trace_id = randomUUID();
  const body = {
    trace_id,
    name: "for ann@example.com",
    started_at,
    user_id: "ann@example.com",
    input: "ann@example.com or bob@example.com",
    metadata: { customer: { id: 7 }, password: null },
    spans: [{ name: "s", started_at, input: '{"password":"x"}' }],
  };

  await client.answer(createTrace, { body });
  const first = await client.answer(getTrace, { params: { trace_id } });
  const users = await client.page(listUsers);
  await client.answer(createSpans, {
    params: { trace_id },
    body: [{ name: "late", started_at, output: "c@example.com" }],
  });
  await owner.answer(updateProject, { params, body: { masking: { presets: ["card"] } } });
  await client.answer(updateTrace, { params: { trace_id }, body: { output: "d@example.com 4111111111111111" } });
  const last = await client.answer(getTrace, { params: { trace_id } });
  const { items } = await client.page(listTraces, { query: { include: "preview" } });

  expect(first).toMatchObject({
    trace_id,
    name: "for [masked:email]",
    user_id: "ann@example.com",
    input: "[masked:email] or [masked:email]",
    metadata: { customer: "[masked:$.metadata.customer]", password: null },
    masked: { email: 3, password: 1, "$.metadata.customer": 1 },
    spans: [{ input: '{"password":"[masked:password]"}' }],
  });
  expect(users.items).toMatchObject([{ user_id: "ann@example.com" }]);
  expect(last).toMatchObject({ output: "d@example.com [masked:card]", masked: { email: 4, card: 1, password: 1 } });
  expect(items).toMatchObject([{ name: "for [masked:email]", input_preview: "[masked:email] or [masked:email]" }]);
});

test.each(["$.spans[*].input.customer", "$.input.customer"])(
  "the path %s masks the input of a span and its copy in the trace, by every protocol",
  async (path) => {
    const { client } = await projectWith({ paths: [path] });
    const input = { customer: "kept-secret", order: 1 };
    const body = { name: "t", started_at, input, spans: [{ name: "s", started_at, input }] };
    await client.answer(createTrace, { body });
    const span = jsonSpan(hexId(16), hexId(8), {}, { "input.value": JSON.stringify(input) });
    expectStatus(await client.call(exportTraces, { body: jsonExport([span]) }), 200);

    const { items } = await client.page(listTraces);
    const traces = await inTurn(items, ({ trace_id }) => client.answer(getTrace, { params: { trace_id } }));

    expect(traces).toHaveLength(2);
    expect(JSON.stringify([traces, items])).not.toContain("kept-secret");
    for (const { input: ofTrace, spans } of traces)
      expect([ofTrace, spans[0]?.input]).toEqual([{ customer: `[masked:${path}]`, order: 1 }, ofTrace]);
  },
);

test("a preview masks a trace by rules to try or by those of the project, and stores nothing", async () => {
  const { client, owner, project, params } = await projectWith(rules);
  const other = await projectWith(null);
  const trace = { name: "t", started_at, input: { password: "x", text: "ann@example.com" } };
  const organizationHeader = { headers: { "X-Organization-ID": params.org_id } };

  const byProject = await client.answer(previewMasking, { params, body: { trace } });
  const byRules = await owner.answer(previewMasking, {
    ...organizationHeader,
    params,
    body: { trace, masking: { paths: ["$.input.text"] } },
  });
  const { items } = await client.page(listTraces);

  expect(byProject).toEqual({
    trace: { ...trace, input: { password: "[masked:password]", text: "[masked:email]" } },
    masked: { email: 1, password: 1 },
  });
  expect(byRules).toMatchObject({ masked: { "$.input.text": 1 }, trace: { input: { password: "x" } } });
  expect(items).toEqual([]);
  expectStatus(await other.client.call(previewMasking, { params: { project_id: project.id }, body: { trace } }), 404);
  expectStatus(await client.call(previewMasking, { params, body: { trace: { name: 7 } } }), 422);
});

test("bad rules are refused with their place, and the project keeps those that it has", async () => {
  const { owner, params, client } = await projectWith(rules);
  const many = Array.from({ length: 51 }, (_, at) => `k${at}`);

  for (const [masking, loc] of [
    [{ paths: ["$.input", "input"] }, "paths -> 1"],
    [{ paths: ["$.spans[0].input"] }, "paths -> 0"],
    [{ keys: ["*"] }, "keys -> 0"],
    [{ keys: ["k".repeat(201)] }, "keys -> 0"],
    [{ presets: ["ssn"] }, "presets -> 0"],
    [{ patterns: ["[0-9]+"] }, "patterns"],
    [{ keys: many }, "keys"],
    [{ keys: many.slice(5), paths: ["$.input", "$.output", "$.tags", "$.name", "$.release"] }, ""],
    ["email", ""],
  ] as const) {
    const reply = await owner.call(updateProject, { params, body: { masking } });
    expectStatus(reply, 422);
    expect(reply.text).toContain(`"field":"${["masking", loc].filter((each) => each !== "").join(" -> ")}"`);
  }
  await owner.answer(updateProject, { params, body: { name: `p${randomUUID()}`, masking: null } });
  const kept = await owner.answer(getProject, { params });
  const renamed = clientWith(service, { ...client.headers, "X-Project-Name": kept.name });
  const { trace_id } = await renamed.answer(createTrace, { body: { name: "a@example.com", started_at } });

  expect(kept.masking).toEqual(rules);
  expect(await renamed.answer(getTrace, { params: { trace_id } })).toMatchObject({ name: "[masked:email]" });
});
