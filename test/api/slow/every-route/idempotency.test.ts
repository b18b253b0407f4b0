import { createHash, randomBytes, randomUUID } from "node:crypto";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { createApiKey } from "../../../../lib/contract/access/api-keys.ts";
import { createInvitation } from "../../../../lib/contract/access/invitations.ts";
import { createProject } from "../../../../lib/contract/access/projects.ts";
import { createDataset } from "../../../../lib/contract/datasets/datasets.ts";
import { newLabelSet, storeTraces } from "../../../support/labels.ts";
import { createLangfuseDataset, createLangfuseDatasetItem } from "../../../../lib/contract/langfuse/datasets.ts";
import { createAlert } from "../../../../lib/contract/monitors/alerts.ts";
import { createMonitor } from "../../../../lib/contract/monitors/monitors.ts";
import { type Route, secretHeaders } from "../../../../lib/contract/route.ts";
import { routes } from "../../../../lib/contract/routes.ts";
import { createTraceBatchRun, createTraceRun } from "../../../../lib/contract/runs/trace-runs.ts";
import { createTrace, getTrace } from "../../../../lib/contract/traces/traces.ts";
import { experimentsByName, sendExperiment } from "../../../support/experiments.ts";
import { endedRun } from "../../../support/runs/ended-run.ts";
import { type Client, newProject } from "../../../support/service/client.ts";
import { expectStatus, type Reply } from "../../../support/reply-shape.ts";
import { json, routesByName } from "../../../support/service/every-route.ts";
import { people, type Person } from "../../../support/users.ts";
import { sample } from "../../../support/sample.ts";

const service = inject("service");
const { organization, person } = people();
const client = newProject(service);
const started_at = "2026-10-01";

/** A request that succeeds once. `other` is another valid body; without it, any body is. */
interface KeyedRequest {
  readonly by: Client;
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly other?: object;
}

interface Fixtures {
  readonly owner: Person;
  readonly org_id: string;
  readonly project_id: string;
  readonly trace_id: string;
  readonly run_id: string;
  readonly monitor_id: string;
  readonly experiment_id: string;
}

let fixtures: Fixtures;

beforeAll(async () => {
  const { owner, id: org_id, params } = await organization();
  const { id: project_id } = await owner.answer(createProject, { params, body: { name: "checkout" } });
  const session_id = "s";
  const { trace_id } = await client.answer(createTrace, { body: { name: "x", started_at, session_id } });
  const missing = randomUUID();
  const { id: run_id } = await client.answer(createTraceBatchRun, {
    body: { trace_ids: [missing], metrics: ["task_completion"] },
  });
  await endedRun(client, { id: run_id });
  const monitor = { name: "m", target_type: "TRACE", metrics: ["task_completion"], cadence: "weekly" };
  const { id: monitor_id } = await client.answer(createMonitor, { body: monitor });
  await sendExperiment(client, { "assay.experiment": "repeated" }, ["item"]);
  const experiment_id = (await experimentsByName(client, 1)).get("repeated")?.id ?? "";
  fixtures = { owner, org_id, project_id, trace_id, run_id, monitor_id, experiment_id };
});

const routeOf = (id: string): Route => {
  const matchingRoute = routes.find((route) => route.id === id);
  if (matchingRoute === undefined) throw new Error(`There is no route ${id}.`);
  return matchingRoute;
};

const trace = (name: string) => ({ name, started_at });
const span = { name: "y", started_at };
const metrics = ["task_completion"];
const sessionMetrics = ["agent_reliability"];
const score = { name: "helpful", value: "0.5" };
const exported = (name: string) => {
  const [traceId, spanId, startTimeUnixNano] = [randomBytes(16), randomBytes(8), "1790000000000000000"];
  const span = { traceId: traceId.toString("hex"), spanId: spanId.toString("hex"), name, startTimeUnixNano };
  return { resourceSpans: [{ scopeSpans: [{ spans: [{ ...span, endTimeUnixNano: startTimeUnixNano }] }] }] };
};
const logged = (body: string) => ({
  resourceLogs: [{ scopeLogs: [{ logRecords: [{ eventName: "other", body: { stringValue: body } }] }] }],
});
const measured = (points: number) => ({
  resourceMetrics: [
    { scopeMetrics: [{ metrics: [{ sum: { dataPoints: Array.from({ length: points }, () => ({})) } }] }] },
  ],
});
const langfuseScore = () => ({ traceId: fixtures.trace_id, name: "helpful", value: 0.5 });
const langsmithRun = () => ({ id: randomUUID(), name: "one", start_time: started_at });
const ofProject = (body: object, other: object): KeyedRequest => ({ by: client, body, other });
const ofMonitor = (): KeyedRequest => ({ by: client, params: { monitor_id: fixtures.monitor_id } });
const retryRequest = (): KeyedRequest => ({ by: client, params: { run_id: fixtures.run_id } });
const ofOrganization = (body: object, other: object): KeyedRequest => ({
  by: fixtures.owner,
  params: { org_id: fixtures.org_id },
  body,
  other,
});

/** A range that begins on the first of October 2026 and ends before the given day. */
const october = (day: string) => ({ date_from: "2026-10-01", date_to: `2026-10-${day}` });

const invitationRequest = async (): Promise<KeyedRequest> => {
  const user = await person();
  const params = { org_id: fixtures.org_id };
  const body = { email: user.email, role: "MEMBER" };
  const { id: invitation_id } = await fixtures.owner.answer(createInvitation, { params, body });
  return { by: user, params: { invitation_id } };
};

const codeFor = (): object => {
  const code_challenge = createHash("sha256").update(randomUUID()).digest("base64url");
  return { org_id: fixtures.org_id, project_id: fixtures.project_id, code_challenge };
};

const expiring = async (): Promise<KeyedRequest> => {
  const params = { org_id: fixtures.org_id };
  const { id } = await fixtures.owner.answer(createApiKey, { params, body: { name: "old", expiration: "90d" } });
  return { by: fixtures.owner, params: { ...params, key_id: id } };
};

/** A request to each route that takes an Idempotency-Key. */
const keyedRequests: Readonly<Record<string, () => KeyedRequest | Promise<KeyedRequest>>> = {
  createTrace: () => ofProject(trace("one"), trace("two")),
  createTraces: () => ofProject({ traces: [trace("one")] }, { traces: [trace("two")] }),
  exportTraces: () => ofProject(exported("one"), exported("two")),
  exportTracesLangfuse: () => ofProject(exported("one"), exported("two")),
  exportTracesLangsmith: () => ofProject(exported("one"), exported("two")),
  exportTracesLangsmithEndpoint: () => ofProject(exported("one"), exported("two")),
  ingestLangsmithRuns: () => ofProject({ post: [langsmithRun()] }, { post: [langsmithRun()] }),
  ingestLangsmithBatch: () => ofProject({ post: [langsmithRun()] }, { post: [langsmithRun()] }),
  createLangsmithRun: () => ofProject(langsmithRun(), langsmithRun()),
  createLangsmithFeedback: () =>
    ofProject({ run_id: fixtures.trace_id, key: "a", score: 1 }, { run_id: fixtures.trace_id, key: "b", score: 1 }),
  exportLogs: () => ofProject(logged("one"), logged("two")),
  exportMetrics: () => ofProject(measured(1), measured(2)),
  createLangfuseMedia: () => ofProject({ sha256Hash: "a" }, { sha256Hash: "b" }),
  createLangfuseScores: () => ofProject([langfuseScore()], [{ ...langfuseScore(), value: 1 }]),
  ingestLangfuse: () =>
    ofProject(
      { batch: [{ id: "1", type: "score-create", body: langfuseScore() }] },
      { batch: [{ id: "2", type: "score-create", body: langfuseScore() }] },
    ),
  createDataset: () => ofProject({ name: "one" }, { name: "two" }),
  createDatasetItems: async () => {
    const { id: dataset_id } = await client.answer(createDataset, { body: { name: randomUUID() } });
    return { ...ofProject({ items: [{ input: 1 }] }, { items: [{ input: 2 }] }), params: { dataset_id } };
  },
  createLabelSet: async () => {
    const set = { metrics: [{ name: "task_completion" }], trace_ids: await storeTraces(client, 20) };
    return ofProject({ ...set, name: "one" }, { ...set, name: "two" });
  },
  uploadLabels: async () => {
    const trace_ids = await storeTraces(client, 20);
    const { id: set_id } = await newLabelSet(client, { trace_ids });
    const items = (helpful: boolean) => [{ trace_id: trace_ids[0], labeller: "Ada", labels: { helpful } }];
    return { ...ofProject({ items: items(true) }, { items: items(false) }), params: { set_id } };
  },
  createLangfuseDataset: () => ofProject({ name: "one" }, { name: "two" }),
  createLangfuseDatasetItem: async () => {
    const datasetName = randomUUID();
    await client.answer(createLangfuseDataset, { body: { name: datasetName } });
    return ofProject({ datasetName, input: 1 }, { datasetName, input: 2 });
  },
  createLangfuseDatasetRunItem: async () => {
    const [datasetName, datasetItemId] = [randomUUID(), randomUUID()];
    await client.answer(createLangfuseDataset, { body: { name: datasetName } });
    await client.answer(createLangfuseDatasetItem, { body: { datasetName, id: datasetItemId, input: 1 } });
    const link = { runName: "one", datasetItemId, traceId: randomUUID() };
    return ofProject(link, { ...link, runName: "two" });
  },
  createSpans: () => ({ ...ofProject([span], [span, span]), params: { trace_id: fixtures.trace_id } }),
  tagTraces: () =>
    ofProject(
      { trace_ids: [fixtures.trace_id], add_tags: ["one"] },
      { trace_ids: [fixtures.trace_id], add_tags: ["two"] },
    ),
  deleteTraces: async () => {
    const { trace_id } = await client.answer(createTrace, { body: trace("deleted") });
    return ofProject({ trace_ids: [trace_id] }, { trace_ids: [trace_id, randomUUID()] });
  },
  createTraceRun: () => ofProject({ metrics }, { metrics, sampling_rate: 0 }),
  createTraceBatchRun: () =>
    ofProject({ metrics, trace_ids: [fixtures.trace_id] }, { metrics, trace_ids: [randomUUID()] }),
  createExperimentRun: () => ({
    ...ofProject({ metrics }, { metrics, name: "another" }),
    params: { experiment_id: fixtures.experiment_id },
  }),
  createSessionRun: () => ofProject({ metrics: sessionMetrics }, { metrics: sessionMetrics, sampling_rate: 0 }),
  createSessionBatchRun: () =>
    ofProject({ metrics: sessionMetrics, session_ids: ["s"] }, { metrics: sessionMetrics, session_ids: ["t"] }),
  retryTraceRun: retryRequest,
  retrySessionRun: retryRequest,
  createTraceScore: () =>
    ofProject({ ...score, trace_id: fixtures.trace_id }, { ...score, value: "1", trace_id: fixtures.trace_id }),
  createSessionScore: () => ofProject({ ...score, session_id: "s" }, { ...score, value: "1", session_id: "s" }),
  createMonitor: () => {
    const monitor = { name: "one", target_type: "TRACE", metrics, cadence: "weekly" };
    return ofProject(monitor, { ...monitor, name: "two" });
  },
  createAlert: () => {
    const alert = { name: "one", signal: "volume", window: "1h", threshold: 1 };
    return ofProject(alert, { ...alert, threshold: 2 });
  },
  testAlert: async () => {
    const body = { name: "tested", signal: "volume", window: "1h", threshold: 1 };
    return { by: client, params: { alert_id: (await client.answer(createAlert, { body })).id } };
  },
  createOwnMetric: () => {
    const metric = { name: "one", description: "Evaluates something." };
    return ofProject(metric, { ...metric, name: "two" });
  },
  copyGalleryMetric: () => ofProject({ metric: "tone", name: "copied" }, { metric: "tone", name: "other" }),
  importOwnMetric: () => {
    const metric = { prompt: "Is it short?", choice_scores: { Yes: 1, No: 0 } };
    return ofProject({ metric, name: "imported" }, { metric, name: "another" });
  },
  pauseMonitor: ofMonitor,
  resumeMonitor: ofMonitor,
  triggerMonitor: ofMonitor,
  acceptInvitation: invitationRequest,
  declineInvitation: invitationRequest,
  createOrganization: async () => ({ by: await person(), body: { name: "One" }, other: { name: "Two" } }),
  createInvitation: () =>
    ofOrganization({ email: "one@example.com", role: "MEMBER" }, { email: "two@example.com", role: "MEMBER" }),
  createProject: () => ofOrganization({ name: "one" }, { name: "two" }),
  createApiKey: () => ofOrganization({ name: "one" }, { name: "two" }),
  createRepricing: () => ({
    ...ofOrganization(october("02"), october("03")),
    params: { org_id: fixtures.org_id, project_id: fixtures.project_id },
  }),
  rotateApiKey: expiring,
  createCliCode: () => ({ by: fixtures.owner, body: codeFor(), other: codeFor() }),
};

const repeatable = routes.filter(({ idempotency }) => idempotency !== undefined && idempotency !== "none");

/** The status and body that the repeated request must get. */
const expectedOf = (route: Route, { status, text, body }: Reply): readonly unknown[] => {
  if (route.headers !== secretHeaders) return [status, "true", text];
  const { id = "has already created a code" } = body as { readonly id?: string };
  return [409, undefined, expect.stringContaining(id)];
};

/** The error that another body under the same key must get. */
const refusalOf = ({ protocol }: Route): object =>
  protocol === "otlp" ? { status: 400 } : { status: 422, error: { code: "idempotency_error" } };

const send = (
  { by: caller, params }: KeyedRequest,
  route: Route,
  headers: Readonly<Record<string, string>>,
  body?: object,
) =>
  caller.call(route, {
    ...(params !== undefined && { params }),
    headers: { ...headers, ...(body !== undefined && json) },
    ...(body !== undefined && { body }),
  });

/**
 * Routes without idempotency: payments always answer 404, previews and gates store nothing, an export asks for files once however often it is sent, and label sets give the item that the caller
 * holds, close once, and compare a judge anew.
 */
const makesNothing: ReadonlySet<string> = new Set([
  "exchangeMcpMessages",
  "openCheckout",
  "openPortal",
  "previewOwnMetric",
  "previewAlert",
  "previewMasking",
  "evaluateGate",
  "createExport",
  "takeNextLabelItem",
  "closeLabelSet",
  "computeTrust",
]);

test("every POST with a credential takes an Idempotency-Key, and is tested here", () => {
  const keyedRoutes = routes.filter(
    ({ id, method, access }) => method === "POST" && access !== "public" && !makesNothing.has(id),
  );

  expect(repeatable).toEqual(keyedRoutes);
  expect(Object.keys(keyedRequests).toSorted()).toEqual(repeatable.map(({ id }) => id).toSorted());
});

describe.each(sample("repetitions", routesByName(repeatable)))(
  "%s, sent again with its Idempotency-Key",
  (_name, route) => {
    test("is executed once, and is refused with another body", async () => {
      const sending = await keyedRequests[route.id]?.();
      if (sending === undefined) throw new Error(`${route.id} is not tried.`);
      const headers = { "Idempotency-Key": randomUUID() };

      const first = await send(sending, route, headers, sending.body);
      const replay = await send(sending, route, headers, sending.body);
      const conflict = await send(sending, route, headers, sending.other ?? {});

      expectStatus(first, route.success);
      expect(first.headers).not.toHaveProperty("idempotent-replayed");
      expect([replay.status, replay.headers["idempotent-replayed"], replay.text]).toEqual(expectedOf(route, first));
      expect(conflict).toMatchObject(refusalOf(route));
    });
  },
);

describe("a request sent again with its X-Request-ID", () => {
  const headers = () => ({ "X-Request-ID": randomUUID() });

  test("and another body is a new request", async () => {
    const same = headers();
    const firstTrace = await client.answer(createTrace, { body: trace("one"), headers: same });
    const secondTrace = await client.answer(createTrace, { body: trace("two"), headers: same });

    expect(secondTrace.trace_id).not.toBe(firstTrace.trace_id);
    expect(secondTrace.task_id).not.toBe(firstTrace.task_id);
  });

  test("and the same body gets the same reply", async () => {
    const options = { body: { metrics }, headers: headers() };
    const first = await client.call(createTraceRun, options);
    const replay = await client.call(createTraceRun, options);

    expect([replay.text, replay.headers["idempotent-replayed"]]).toEqual([first.text, "true"]);
  });

  test("but without a body is executed each time, as one id may be that of several requests", async () => {
    const { monitor_id } = fixtures;
    const options = { params: { monitor_id }, headers: headers() };
    const statuses: unknown[] = [];
    for (const id of ["pauseMonitor", "resumeMonitor", "pauseMonitor"])
      statuses.push((await client.call(routeOf(id), options)).body);

    expect(statuses).toMatchObject([{ status: "PAUSED" }, { status: "ACTIVE" }, { status: "PAUSED" }]);
  });
});

describe("a trace sent again with its Idempotency-Key", () => {
  test("leaves later changes of the trace in place", async () => {
    const options = { body: trace("before"), headers: { "Idempotency-Key": randomUUID() } };
    const { trace_id } = await client.answer(createTrace, options);
    const params = { trace_id };
    await client.call(routeOf("updateTrace"), { params, body: { name: "after" } });
    const replay = await client.answer(createTrace, options);

    expect(replay.trace_id).toBe(trace_id);
    expect(await client.answer(getTrace, { params })).toMatchObject({ name: "after" });
  });

  test("is refused with another body also when the client chose the trace's id", async () => {
    const headers = { "Idempotency-Key": randomUUID() };
    const body = { ...trace("one"), trace_id: randomUUID() };
    const first = await client.call(createTrace, { body, headers });
    const replay = await client.call(createTrace, { body, headers });
    const conflict = await client.call(createTrace, { body: { ...body, name: "two" }, headers });

    expect([replay.text, replay.headers["idempotent-replayed"]]).toEqual([first.text, "true"]);
    expect(conflict).toMatchObject({ status: 422, error: { code: "idempotency_error" } });
  });

  test("is stored once, even when it is sent many times at once with different bodies", async () => {
    const headers = { "Idempotency-Key": randomUUID() };
    const replies = await Promise.all(
      ["a", "b", "c", "d"].map((name) => client.call(createTrace, { body: trace(name), headers })),
    );

    expect(replies.map(({ status }) => status).toSorted()).toEqual([202, 422, 422, 422]);
  });
});

test("a key that was sent with an invalid body can be used with a corrected one", async () => {
  const headers = { "Idempotency-Key": randomUUID() };
  const wrong = await client.call(routeOf("deleteTraces"), { body: { trace_ids: [] }, headers });
  const gone = await client.call(routeOf("createSpans"), { params: { trace_id: randomUUID() }, body: [span], headers });
  const right = await client.call(routeOf("deleteTraces"), { body: { trace_ids: [randomUUID()] }, headers });
  const params = { trace_id: fixtures.trace_id };
  const spans = await client.call(routeOf("createSpans"), { params, body: [span], headers });

  expect([wrong, gone, right, spans].map(({ status }) => status)).toEqual([422, 404, 200, 201]);
});
