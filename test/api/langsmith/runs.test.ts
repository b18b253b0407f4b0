import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { expect, inject, test } from "vitest";
import { createApiKey } from "../../../lib/contract/access/api-keys.ts";
import { createProject, listReachableProjects } from "../../../lib/contract/access/projects.ts";
import { createLangsmithFeedback, updateLangsmithFeedback } from "../../../lib/contract/langsmith/feedback.ts";
import {
  createLangsmithRun,
  ingestLangsmithBatch,
  ingestLangsmithRuns,
  updateLangsmithRun,
} from "../../../lib/contract/langsmith/runs.ts";
import { getLangsmithInfo, listLangsmithSessions } from "../../../lib/contract/langsmith/service.ts";
import { listTraceScores } from "../../../lib/contract/scores/trace-scores.ts";
import { getTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { inTurn } from "../../support/in-turn.ts";
import { recorded } from "../../support/integrations.ts";
import { problems, warningsOf } from "../../support/reply-shape.ts";
import { clientWith, newProject, send } from "../../support/service/client.ts";
import { people } from "../../support/users.ts";

const service = inject("service");
const { organization } = people();

interface RecordedRequest {
  readonly path: string;
  readonly contentType: string;
  readonly body: string;
}

const pythonRequests = JSON.parse(recorded("langsmith-py-0.15.json").toString()) as readonly RecordedRequest[];
const runId = "0193e3f2-5b1c-7000-8000-0123456789ab";

const form = "multipart/form-data; boundary=langsmith-test-boundary-0123";
const part = (name: string, body: string): string =>
  `--langsmith-test-boundary-0123\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: application/json\r\n\r\n${body}\r\n`;
const formOf = (...parts: readonly string[]): string => `${parts.join("")}--langsmith-test-boundary-0123--\r\n`;

/** A project, and a client of it with the header that LangSmith's SDKs send alone. */
const projectOfKey = async (project?: "scoped") => {
  const { owner, params } = await organization();
  const { id, name } = await owner.answer(createProject, { params, body: { name: "shop" } });
  const scope = project === undefined ? {} : { project_id: id };
  const key = (await owner.answer(createApiKey, { params, body: { name: "k", ...scope } })).raw_key ?? "";
  return {
    projectId: id,
    sdk: clientWith(service, { "X-API-Key": key }),
    reader: clientWith(service, { "X-API-Key": key, "X-Project-Name": name }),
  };
};

test.each([
  ["in order", [0, 1, 2, 3]],
  ["the end before the start, and repeatedly", [1, 3, 0, 2, 1, 0, 3, 2]],
])("requests of the Python SDK that arrive %s give the same traces and score", async (_name, order) => {
  const { sdk, reader } = await projectOfKey("scoped");

  const replies = await inTurn(order, async (at) => {
    const { path, contentType, body } = pythonRequests[at] ?? { path: "", contentType: "", body: "" };
    const bytes = gzipSync(body);
    const headers = { ...sdk.headers, "Content-Type": contentType, "Content-Encoding": "gzip" };
    const route = [ingestLangsmithRuns, createLangsmithFeedback].find((each) => each.path === path) ?? null;
    return send(service, { method: "POST", path, headers, bytes, route });
  });
  const trace = await reader.answer(getTrace, { params: { trace_id: runId } });
  const { items } = await reader.page(listTraces);
  const scores = await reader.page(listTraceScores);

  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([202, 200]));
  expect(trace).toMatchObject({
    name: "slow_agent",
    status: "COMPLETED",
    session_id: "t-9",
    user_id: "leo",
    tags: ["py"],
    input: { question: "When does it ship?" },
    output: "It ships in two days.",
    ended_at: "2026-11-26T18:50:04.800345+00:00",
  });
  expect(trace.spans.map(({ name, kind, status }) => [name, kind, status])).toEqual([
    ["slow_agent", "CHAIN", "OK"],
    ["search", "RETRIEVER", "OK"],
    ["refund", "TOOL", "ERROR"],
  ]);
  expect(trace.spans[2]?.error).toContain("ValueError: no such order");
  expect(items.map(({ name }) => name).toSorted()).toEqual(["slow_agent", "with_file"]);
  expect(scores.items).toMatchObject([{ name: "helpful", value: "0.5", reason: "Not bad.", trace_id: runId }]);
  const file = await reader.answer(getTrace, { params: { trace_id: "01a21931-82e1-7201-a8e4-a803e31d84d0" } });
  expect(file.spans[0]?.metadata["otel.attributes"]).toMatchObject({ "langsmith.attachments": { note: "not stored" } });
});

test("a run is running until its change arrives, whose fields are added to those of the run", async () => {
  const project = newProject(service);
  const id = randomUUID();
  const extra = { metadata: { ls_provider: "openai" } };
  const started = { id, name: "low_level", run_type: "llm", inputs: { text: "Hello?" }, start_time: Date.now(), extra };

  await project.answer(createLangsmithRun, { body: started });
  const running = await project.answer(getTrace, { params: { trace_id: id } });
  await project.answer(updateLangsmithRun, {
    params: { run_id: id },
    body: { outputs: { output: "Hello!" }, end_time: new Date().toISOString(), session_name: "shop" },
  });
  const trace = await project.answer(getTrace, { params: { trace_id: id } });

  expect(running).toMatchObject({ status: "RUNNING", ended_at: null, output: null });
  expect(trace).toMatchObject({ name: "low_level", status: "COMPLETED", input: { text: "Hello?" }, output: "Hello!" });
  expect(trace.spans).toMatchObject([{ span_id: id, kind: "LLM", started_at: running.started_at }]);
  expect(trace.spans[0]?.metadata["otel.attributes"]).toEqual({
    ls_provider: "openai",
    "langsmith.trace.session_name": "shop",
  });
});

test("the runs of a request go to the projects that they name; a key of one project sends all to it", async () => {
  const [wide, narrow] = [await projectOfKey(), await projectOfKey("scoped")];
  const run = (session_name: string | null) => {
    const id = randomUUID();
    return { id, name: `of ${session_name}`, run_type: "chain", start_time: new Date().toISOString(), session_name };
  };
  const body = { post: [run("shop"), run("support"), run(null)] };
  const namesIn = async (client: ReturnType<typeof clientWith>, name: string) => {
    const { items } = await clientWith(service, { ...client.headers, "X-Project-Name": name }).page(listTraces);
    return items.map((trace) => trace.name).toSorted();
  };

  await inTurn([wide, narrow], ({ sdk }) => sdk.answer(ingestLangsmithBatch, { body }));

  expect(await inTurn(["shop", "support", "default"], (name) => namesIn(wide.sdk, name))).toEqual([
    ["of shop"],
    ["of support"],
    ["of null"],
  ]);
  expect(await namesIn(narrow.sdk, "shop")).toEqual(["of null", "of shop", "of support"]);
});

test("what cannot be stored is named in X-Warnings, or in a 422 if nothing can, and the rest of the request is stored", async () => {
  const project = newProject(service);
  const [good, unknown, late] = [randomUUID(), randomUUID(), randomUUID()];
  const at = new Date().toISOString();

  const reply = await project.call(ingestLangsmithBatch, {
    body: {
      post: [
        { id: good, name: "good", run_type: "chain", start_time: at },
        { id: 7, name: "without an id" },
        { id: late, name: "old", start_time: "1999-01-01T00:00:00Z" },
      ],
      patch: [{ id: unknown, end_time: at }],
      feedback: [{ run_id: good, trace_id: good, key: "empty" }],
    },
  });
  const { items } = await project.page(listTraces);

  expect(items).toMatchObject([{ trace_id: good, status: "RUNNING" }]);
  expect(reply).toMatchObject({ status: 202 });
  expect(warningsOf(reply).map((text) => text.split(": ", 2)[1])).toEqual([
    "post.1.id",
    `post.${late}`,
    `patch.${unknown}`,
    "feedback.0.score",
  ]);

  const refused = await project.call(ingestLangsmithBatch, { body: { post: [{ id: 7 }], patch: ["x"] } });
  expect(refused.status).toBe(422);
  expect(problems(refused)).toEqual(["body.post.0.id", "body.patch.0"]);
});

test("a run without a readable start is refused by its list and id, in the words of what it has", async () => {
  const project = newProject(service);
  const [none, unread] = [randomUUID(), randomUUID()];

  const refused = await project.call(ingestLangsmithBatch, {
    body: {
      post: [
        { id: none, name: "a" },
        { id: unread, name: "b", dotted_order: "abc" },
      ],
    },
  });

  expect(refused.body).toMatchObject({
    detail: [
      { loc: ["body", "post", none], msg: "A new run has a start_time or a dotted_order." },
      { loc: ["body", "post", unread], msg: expect.stringContaining("dotted_order has no readable time") as unknown },
    ],
  });
});

test("a dotted order about another run, trace or time is named, kept with the run, and gives no parent", async () => {
  const project = newProject(service);
  const at = new Date().toISOString();
  const [moment, foreign] = [at.replaceAll(/[-:]/gu, "").replace(/\.(\d+)Z/u, "$1000Z"), randomUUID()];
  const ids = ["another", "elsewhere", "never", "right"].map((name) => [name, randomUUID()] as const);
  const orders: Readonly<Record<string, (id: string) => object>> = {
    another: () => ({ dotted_order: `${moment}${foreign}.${moment}${randomUUID()}` }),
    elsewhere: (id) => ({ trace_id: id, dotted_order: `${moment}${foreign}.${moment}${id}` }),
    never: (id) => ({ dotted_order: `20269921T090000000000Z${id}` }),
    right: (id) => ({ dotted_order: `${moment}${id}` }),
  };
  const runOf = (name: string, id: string) => ({ id, name, run_type: "chain", start_time: at, ...orders[name]?.(id) });

  const reply = await project.call(ingestLangsmithBatch, { body: { post: ids.map(([name, id]) => runOf(name, id)) } });
  const traces = await inTurn(ids, ([, trace_id]) => project.answer(getTrace, { params: { trace_id } }));

  expect(reply.status).toBe(202);
  expect(warningsOf(reply)).toEqual([
    expect.stringContaining(`Not read: the dotted_order of ${ids[0]?.[1]} and 2 other runs`),
  ]);
  expect(traces.map(({ spans }) => spans[0]?.parent_span_id)).toEqual([null, null, null, null]);
  expect(traces.map(({ spans }) => JSON.stringify(spans).includes("dotted_order"))).toEqual([true, true, true, false]);
});

test("what has to be cut of runs and feedback is named, and numbers are labels", async () => {
  const project = newProject(service);
  const id = randomUUID();
  const metadata = { thread_id: 42, user_id: 7 };
  const run = {
    id,
    name: 5,
    run_type: "chain",
    start_time: new Date().toISOString(),
    tags: "vip, beta",
    extra: { metadata },
  };
  const feedback = { run_id: id, trace_id: id, key: "k", value: "v".repeat(300), comment: "c".repeat(17_000) };

  const reply = await project.call(ingestLangsmithBatch, { body: { post: run, feedback: [feedback] } });
  const trace = await project.answer(getTrace, { params: { trace_id: id } });
  const { items } = await project.answer(listTraceScores);

  expect(reply.status).toBe(202);
  expect(reply.headers["x-warnings"]).toBe('"Cut to 255 characters: value.", "Cut to 16384 characters: comment."');
  expect(trace).toMatchObject({ name: "5", session_id: "42", user_id: "7", tags: ["beta", "vip"] });
  expect(items).toMatchObject([{ value: `${"v".repeat(254)}…`, reason: `${"c".repeat(16_383)}…` }]);
});

test("feedback is refused with advice until its run has arrived, later found by the run alone, and replaced by its id", async () => {
  const { sdk, reader } = await projectOfKey();
  const id = randomUUID();
  const feedback = { id: randomUUID(), run_id: id, key: "label", value: "good", feedback_source: { type: "app" } };
  const run = { id, name: "agent", run_type: "chain", start_time: new Date().toISOString(), session_name: "shop" };

  const early = await sdk.call(createLangsmithFeedback, { body: feedback });
  await sdk.answer(createLangsmithRun, { body: run });
  const replies = await inTurn([feedback, feedback, { ...feedback, value: "bad" }], (body) =>
    sdk.call(createLangsmithFeedback, { body }),
  );
  const { items } = await reader.page(listTraceScores);

  expect(early).toMatchObject({
    status: 429,
    headers: { "retry-after": "1" },
    text: expect.stringContaining("trace_id"),
  });
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(items).toMatchObject([{ name: "label", value: "bad", data_type: "CATEGORICAL", source: "PROGRAMMATIC" }]);
});

test("the SDKs find limits, for which they need no key, and projects", async () => {
  const { sdk, projectId } = await projectOfKey();

  const info = await clientWith(service, {}).answer(getLangsmithInfo);
  const sessions = await sdk.answer(listLangsmithSessions, {
    query: { name: "shop", limit: 1, include_stats: "false" },
  });
  const misspelt = await sdk.call(listLangsmithSessions, { query: { name: "shpo" } });
  const inHeader = await clientWith(service, { ...sdk.headers, "X-Project-Name": "shpo" }).call(listLangsmithSessions);
  const projects = await sdk.page(listReachableProjects);

  expect(info).toMatchObject({
    batch_ingest_config: { use_multipart_endpoint: true },
    instance_flags: { zstd_compression_enabled: false },
  });
  expect(sessions).toMatchObject([{ id: projectId, name: "shop" }]);
  // A question creates no project.
  expect(misspelt).toMatchObject({ status: 200, body: [] });
  expect(warningsOf(misspelt)).toEqual([expect.stringContaining("There is no such project")]);
  expect(inHeader).toMatchObject({ status: 404 });
  expect(projects.items.map(({ name }) => name)).toEqual(["shop", "onboarding"]);
});

test.each([
  ["a form with too many parts", form, formOf(...Array<string>(16_001).fill(part("x", "{}"))), 413],
  ["a form of more than 4 MiB", form, formOf(part(`post.${runId}`, `"${"x".repeat(4 * 1024 * 1024)}"`)), 413],
  ["lists without end", form, formOf(part(`post.${runId}`, `[${"[],".repeat(300_000)}[]]`)), 413],
  ["a part that is no JSON", form, formOf(part(`post.${runId}`, "{")), 422],
  ["a form that ends early", form, part(`post.${runId}`, "{}"), 422],
  ["a form without a boundary", "multipart/form-data", formOf(part(`post.${runId}`, "{}")), 422],
  ["another type", "text/plain", "x", 415],
])("refuses %s", async (_name, type, bytes, status) => {
  const project = newProject(service);

  const reply = await project.call(ingestLangsmithRuns, { bytes, headers: { "Content-Type": type } });

  expect(reply).toMatchObject({ status });
});

test.each([
  ["GET", "/langsmith/datasets?limit=1", "prompts, datasets"],
  ["POST", "/langsmith/runs/query", "queries of runs"],
  ["GET", "/info", "/langsmith"],
  ["POST", "/runs/multipart", "/langsmith"],
  ["GET", "/langsmith/runs", "prompts, datasets", 405],
  ["GET", "/langsmith/feedback/1", "Read traces and scores", 405],
  ["GET", "/api/public/scores", "read them with the routes in /docs", 405],
])("%s %s answers in a sentence without a credential", async (method, path, sentence, status = 404) => {
  const reply = await send(service, { method, path });

  expect(reply).toMatchObject({ status, text: expect.stringContaining(sentence) });
});

test("a feedback is changed in its project, which the SDK does not name, and only by keys of its organization", async () => {
  const [{ sdk, reader }, other] = [await projectOfKey(), await projectOfKey()];
  const [id, run] = [randomUUID(), randomUUID()];
  const params = { feedback_id: id };
  await reader.answer(createLangsmithFeedback, { body: { id, run_id: run, trace_id: run, key: "good", score: 1 } });

  const foreign = await other.sdk.call(updateLangsmithFeedback, { params, body: { score: 0 } });
  await sdk.answer(updateLangsmithFeedback, { params, body: { score: 0.5 } });

  expect(foreign.status).toBe(404);
  expect((await reader.page(listTraceScores)).items).toMatchObject([{ value: "0.5", original: { value: "1" } }]);
});
