import { createHash, randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { createLangsmithFeedback, updateLangsmithFeedback } from "../../../lib/contract/langsmith/feedback.ts";
import {
  createLangsmithRun,
  ingestLangsmithBatch,
  ingestLangsmithRuns,
  updateLangsmithRun,
} from "../../../lib/contract/langsmith/runs.ts";
import { listTraceScores, updateTraceScore } from "../../../lib/contract/scores/trace-scores.ts";
import { getTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { warningsOf } from "../../support/reply-shape.ts";
import { inTurn } from "../../support/in-turn.ts";
import { type Client, newProject } from "../../support/service/client.ts";

const service = inject("service");
const start_time = "2026-11-21T09:00:00Z";
const boundary = "langsmith-test-boundary-0123";

type Part = readonly [name: string, content: unknown];

const formOf = (parts: readonly Part[], delimiter = boundary): string => {
  const text = parts.map(
    ([name, content]) =>
      `--${delimiter}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${typeof content === "string" ? content : JSON.stringify(content)}\r\n`,
  );
  return `${text.join("")}--${delimiter}--\r\n`;
};

const sendForm = (project: Client, parts: readonly Part[], parameters = `boundary=${boundary}`) =>
  project.call(ingestLangsmithRuns, {
    bytes: formOf(parts),
    headers: { "Content-Type": `multipart/form-data; ${parameters}` },
  });

/** The UUID of version 5 that RFC 9562 defines for a name in a namespace. */
const uuidNamed = (namespace: string, name: string): string => {
  const hex = createHash("sha1")
    .update(Buffer.from(namespace.replaceAll("-", ""), "hex"))
    .update(name)
    .digest("hex");
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `5${hex.slice(13, 16)}`,
    variant + hex.slice(18, 20),
    hex.slice(20, 32),
  ].join("-");
};

test("runs with ids of any text are stored under the UUIDs that they name, and keep their texts", async () => {
  const project = newProject(service);
  const [root, child] = ["run 1.a", "inputs"];
  const run = { name: "agent", run_type: "chain", start_time };

  const reply = await sendForm(project, [
    [`post.${root}`, { id: root, ...run, extra: { metadata: { tier: "gold" } } }],
    [`post.${root}.inputs`, { question: "Where?" }],
    [
      `post.${child}`,
      { ...run, start_time: "2026-11-21T09:00:01Z", name: "tool", trace_id: root, parent_run_id: root },
    ],
    ["feedback.f1", { run_id: child, trace_id: root, key: "helpful", score: 1 }],
  ]);
  const changed = await project.call(updateLangsmithRun, {
    params: { run_id: root },
    body: { outputs: { answer: "Here." }, end_time: "2026-11-21T09:00:02Z" },
  });
  const { items } = await project.page(listTraces);
  const [listed] = items;
  const trace = await project.answer(getTrace, { params: { trace_id: listed?.trace_id ?? "" } });
  const scores = await project.page(listTraceScores);

  const id = (text: string): string => uuidNamed(trace.project_id, text);
  expect([reply, changed]).toMatchObject([{ status: 202 }, { status: 202 }]);
  expect(reply.headers).not.toHaveProperty("x-warnings");
  expect(items).toHaveLength(1);
  expect(trace).toMatchObject({
    trace_id: id(root),
    status: "COMPLETED",
    input: { question: "Where?" },
    metadata: { tier: "gold", "langsmith.run_id": root, "langsmith.trace_id": root },
    spans: [
      { span_id: id(root), parent_span_id: null },
      { span_id: id(child), parent_span_id: id(root), metadata: { "langsmith.run_id": child } },
    ],
  });
  expect(scores.items).toMatchObject([{ trace_id: id(root), span_id: id(child), name: "helpful" }]);
});

test("feedback of a run with a text as its id finds the run without a trace, and keeps its other fields", async () => {
  const project = newProject(service);
  await project.answer(createLangsmithRun, { body: { id: "r-1", name: "agent", start_time } });

  const feedback = await project.answer(createLangsmithFeedback, {
    body: { id: "f", run_id: "r-1", key: "k", score: 1, feedback_group_id: "g-1" },
  });
  const { items } = await project.page(listTraceScores);

  expect(feedback).toEqual({ id: "f" });
  expect(items).toMatchObject([
    {
      trace_id: uuidNamed(items[0]?.project_id ?? "", "r-1"),
      span_id: null,
      metadata: { "langsmith.feedback_group_id": "g-1" },
    },
  ]);
});

test("parts that are not read are named in X-Warnings, and the others are stored", async () => {
  const project = newProject(service);
  const [id, unsent] = [randomUUID(), randomUUID()];

  const reply = await sendForm(project, [
    [`post.${id}`, { name: "agent", run_type: "chain", start_time }],
    [`psot.${id}`, { name: "agent" }],
    [`post.${id}.outptus`, { answer: 1 }],
    [`post.${id}.outputs`, "{not JSON"],
    ["überraschung", "{}"],
    [`attachment.${id}.note`, "text"],
  ]);
  const orphan = await sendForm(project, [[`patch.${unsent}.outputs`, { answer: 1 }]]);
  const trace = await project.answer(getTrace, { params: { trace_id: id } });

  const warnings = warningsOf(reply);
  expect(reply).toMatchObject({ status: 202 });
  expect(warnings.map((each) => each.slice(0, 60))).toEqual([
    expect.stringContaining(`"psot.${id}"`),
    expect.stringContaining(`"post.${id}.outptus"`),
    expect.stringContaining(`"post.${id}.outputs"`),
    expect.stringContaining('"%C3%BCberraschung"'),
    "Of attachments only the names are stored, not the contents.",
  ]);
  expect(trace.spans).toMatchObject([
    { output: "{not JSON", metadata: { "otel.attributes": { "langsmith.attachments": { note: "not stored" } } } },
  ]);
  expect(orphan).toMatchObject({
    status: 404,
    headers: { "x-warnings": expect.stringContaining(`patch.${unsent}`) as unknown },
  });
});

test("a run is stored under the id in the name of its part, and another id within it is told", async () => {
  const project = newProject(service);
  const [id, otherId] = [randomUUID(), randomUUID()];

  const reply = await sendForm(project, [[`post.${id}`, { id: otherId, name: "agent", start_time }]]);

  expect(warningsOf(reply)).toEqual([expect.stringContaining(otherId)]);
  expect(await project.page(listTraces)).toMatchObject({ items: [{ trace_id: id }] });
});

test("at most five warnings of 200 characters are sent, the last of which counts the others", async () => {
  const project = newProject(service);
  const names = Array.from({ length: 30 }, (_, index) => `${"é".repeat(300)}${index}`);

  const reply = await sendForm(project, [
    [`post.${randomUUID()}`, { name: "agent", start_time }],
    ...names.map((name): Part => [name, "{}"]),
  ]);

  const warnings = warningsOf(reply);
  expect(reply).toMatchObject({ status: 202 });
  expect(warnings).toHaveLength(5);
  expect(warnings.every((text) => text.length <= 200)).toBe(true);
  expect(warnings.at(-1)).toBe("26 more warnings.");
});

test.each<[name: string, body: Readonly<Record<string, unknown>>, status: number, unread: readonly string[]]>([
  ["another field", { posts: [] }, 422, ["posts"]],
  ["nothing", {}, 422, []],
  ["an empty list", { post: [] }, 202, []],
  ["a list and another field", { post: [], patches: [] }, 202, ["patches"]],
])(
  "a JSON batch with %s is accepted if it has a list, and other fields are named",
  async (_name, body, status, unread) => {
    const reply = await newProject(service).call(ingestLangsmithBatch, { body });

    expect(reply).toMatchObject({ status });
    expect(warningsOf(reply).map((text) => /"(.*?)"/u.exec(text)?.[1])).toEqual(unread);
  },
);

test("an item that is no run is named, and the others are stored", async () => {
  const project = newProject(service);
  const [id, bad] = [randomUUID(), randomUUID()];

  const json = await project.call(ingestLangsmithBatch, {
    body: { post: [7, { id, name: "agent", start_time }, null], patch: ["x"], feedback: [null] },
  });
  const form = await sendForm(project, [
    [`post.${bad}`, "7"],
    [`post.${id}`, { name: "agent", start_time }],
  ]);
  const refused = await sendForm(project, [[`post.${bad}`, "{not JSON"]]);
  const { items } = await project.page(listTraces);

  expect([json.status, form.status]).toEqual([202, 202]);
  expect(warningsOf(json).map((text) => text.split(": ", 2)[1])).toEqual([
    "post.0",
    "post.2",
    "patch.0",
    "feedback.0.key",
  ]);
  expect(warningsOf(form)).toEqual([`Not stored: post.${bad}: The part is not a JSON object.`]);
  expect(refused).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", `post.${bad}`] }] } });
  expect(items).toMatchObject([{ trace_id: id }]);
});

test("fields that a run's schema does not have are kept in the span's metadata", async () => {
  const project = newProject(service);
  const id = randomUUID();
  const [serialized, extra] = [
    { lc: 1, kwargs: { a: 2 } },
    { metadata: "text", runtime: "node" },
  ];
  const events = ["started", { name: "end", time: "?" }];

  await project.answer(createLangsmithRun, {
    body: { id, name: "agent", start_time, manifest_id: "m-1", child_runs: [], serialized, extra, events },
  });
  await project.answer(updateLangsmithRun, { params: { run_id: id }, body: { feedback_stats: { n: 1 } } });
  const { spans } = await project.answer(getTrace, { params: { trace_id: id } });

  expect(spans[0]?.metadata).toMatchObject({
    "otel.attributes": {
      "langsmith.metadata": "text",
      "langsmith.run.manifest_id": "m-1",
      "langsmith.run.feedback_stats": { n: 1 },
      "langsmith.extra.runtime": "node",
      "gen_ai.serialized.lc": 1,
      "gen_ai.serialized.kwargs": { a: 2 },
    },
    "otel.events": [
      { name: "event", attributes: { value: "started" } },
      { name: "end", attributes: { time: "?" } },
    ],
  });
});

const runPart: Part = [`post.${randomUUID()}`, { name: "agent", start_time }];
const attached = (count: number): Part[] => [
  runPart,
  ...Array.from({ length: count }, (_, index): Part => [`attachment.${runPart[0].slice(5)}.${index}`, "x"]),
];
const smallParts = (count: number): Part[] => [runPart, ...Array.from({ length: count }, (): Part => ["x", "{}"])];

test.each<[name: string, parts: readonly Part[], parameters: string | undefined, status: number]>([
  ["100 attachments is stored", attached(100), undefined, 202],
  ["101 attachments is refused", attached(101), undefined, 413],
  [
    "too many parts beside a decoy of the boundary is refused",
    smallParts(16_001),
    `xboundary=${"z".repeat(30)}; boundary=${boundary}`,
    413,
  ],
  ["too many parts and a quoted boundary is refused", smallParts(16_001), `Boundary="${boundary}"; boundary=zz`, 413],
  ["a decoy of the boundary is read", [runPart], `xboundary=${"z".repeat(30)}; boundary="${boundary}"`, 202],
  ["none of the parts known is refused", [["run", "{}"]], undefined, 422],
  ["more values than can be read is refused", [[runPart[0], `[${"1e0,".repeat(500_000)}1]`]], undefined, 413],
])("a form with %s", async (_name, parts, parameters, status) => {
  const reply = await sendForm(newProject(service), parts, parameters);

  expect(reply).toMatchObject({ status });
});

test("a form with 500 feedbacks and one is refused for their number", async () => {
  const feedbacks = Array.from({ length: 501 }, (_, index): Part => [`feedback.${index}`, {}]);

  const reply = await sendForm(newProject(service), [runPart, ...feedbacks], undefined);

  expect(reply.status).toBe(422);
  expect(JSON.stringify(reply)).toContain("at most 500 items");
});

test("feedback with an id that exists replaces score, comment and metadata", async () => {
  const client = newProject(service);
  const [id, run] = [randomUUID(), randomUUID()];
  const sendFeedback = (score: number, comment: string) =>
    client.answer(createLangsmithFeedback, {
      body: { id, run_id: run, trace_id: run, key: "helpful", score, comment },
    });

  await sendFeedback(1, "Good.");
  await sendFeedback(0, "Bad.");

  expect((await client.answer(listTraceScores)).items).toMatchObject([
    { name: "helpful", value: "0", reason: "Bad.", original: { value: "1", reason: "Good." } },
  ]);
});

test("feedback is changed in the fields that are sent, and a change that is none is refused", async () => {
  const client = newProject(service);
  const [feedback_id, run] = [randomUUID(), randomUUID()];
  const body = { id: feedback_id, run_id: run, trace_id: run, key: "helpful", score: 1, comment: "Good.", extra: 1 };
  await client.answer(createLangsmithFeedback, { body });
  await client.answer(updateTraceScore, { params: { score_id: feedback_id }, body: { reason: "Good." } });
  const change = (each: object, id = feedback_id, headers = {}) =>
    client.call(updateLangsmithFeedback, { params: { feedback_id: id }, body: each, headers });

  const replies = await inTurn([{ score: 0, correction: "b" }, { comment: "Bad." }, { comment: "Bad." }], (each) =>
    change(each),
  );
  const refusals = await inTurn([{}, { value: "NaN" }, { score: null }, { comment: 1 }], (each) => change(each));

  expect(replies).toMatchObject(replies.map(() => ({ status: 200, body: { id: feedback_id } })));
  expect(refusals).toMatchObject(refusals.map(() => ({ status: 422 })));
  expect(await change({ score: 1 }, randomUUID())).toMatchObject({ status: 404 });
  expect(await change({ score: 1 }, feedback_id, { "X-Project-Name": "elsewhere" })).toMatchObject({ status: 404 });
  expect((await client.answer(listTraceScores)).items).toMatchObject([
    {
      value: "0",
      reason: "Bad.",
      source: "PROGRAMMATIC",
      metadata: { "langsmith.extra": 1, "langsmith.correction": "b" },
      original: { value: "0", reason: "Good." },
    },
  ]);
});
