import { expect, test } from "vitest";
import type { LangsmithRun } from "../../../lib/contract/langsmith/runs.ts";
import type { JsonObject } from "../../../lib/domain/json.ts";
import { langsmithFeedbackSource } from "../../../lib/langsmith/feedback-score.ts";
import { spanOfRun } from "../../../lib/langsmith/run-span.ts";
import { sentRuns } from "../../../lib/langsmith/sent-runs.ts";
import { tracesOf } from "../../../lib/otlp/traces/traces-of.ts";

const [rootId, childId] = ["0193e3f2-5b1c-7000-8000-0123456789ab", "0193e3f2-5b1d-7000-8000-0123456789cd"];
const rootOrder = `20261121T090000000001Z${rootId}`;

/** The span that a run is stored as. */
const spanOf = (run: Partial<Omit<LangsmithRun, "name">>) => {
  const fields = { id: rootId, name: "run", ...run };
  const placed = {
    run: fields,
    otherFields: {},
    traceId: rootId,
    parentId: null,
    startedAt: "2026-11-21T09:00:00.000001+00:00",
  };
  return tracesOf([spanOfRun(placed, (id) => id)]).traces[0]?.trace.spans?.[0];
};

const usage = { input_tokens: 9, output_tokens: 3, total_cost: 0.5, input_token_details: { cache_read: 4 } };

test.each<[place: string, run: Parameters<typeof spanOf>[0]]>([
  ["the metadata", { extra: { metadata: { usage_metadata: usage } } }],
  ["the outputs", { outputs: { usage_metadata: usage } }],
  ["an output message", { outputs: { output: { role: "assistant", content: "Hi", usage_metadata: usage } } }],
  ["LangChain's message", { outputs: { output: { lc: 1, kwargs: { content: "Hi", usage_metadata: usage } } } }],
  ["generations", { outputs: { generations: [[{ message: { usage_metadata: usage } }]] } }],
  [
    "generations of LangChain's messages",
    { outputs: { generations: [{ message: { lc: 1, kwargs: { usage_metadata: usage } } }] } },
  ],
])("tokens and cost of a model call are found in %s", (_place, run) => {
  const span = spanOf({ run_type: "llm", ...run });

  expect(span?.token_usage).toEqual({ prompt_tokens: 9, completion_tokens: 3, cache_read_tokens: 4 });
  expect(span?.cost).toEqual({ total: 0.5 });
});

test.each([
  [{ total_cost: 0.0015 }, { total: 0.0015 }],
  [
    { input_tokens: 1, output_tokens: 1, input_cost: 0.1, output_cost: 0.2 },
    { prompt: 0.1, completion: 0.2 },
  ],
])("costs of a run are those that its usage has: %j", (usage_metadata, cost) => {
  expect(spanOf({ run_type: "tool", outputs: { usage_metadata } })?.cost).toEqual(cost);
});

test("the model, its settings and tools are those of the invocation", () => {
  const tools = [{ type: "function", function: { name: "search" } }];
  const span = spanOf({
    run_type: "llm",
    extra: { invocation_params: { model: "gpt-5", temperature: 0.5, tools }, metadata: { ls_provider: "openai" } },
    inputs: { messages: [{ role: "user", content: "Hi" }] },
  });

  expect(span).toMatchObject({ model: "gpt-5", model_parameters: { temperature: 0.5, tools } });
});

test("an end within the millisecond of a numbered start is not before it", () => {
  const ends = ["2026-11-21T09:00:00+00:00", "2026-11-21T08:59:59+00:00"].map(
    (end_time) => spanOf({ end_time })?.ended_at,
  );

  expect(ends).toEqual(["2026-11-21T09:00:00.000001+00:00", "2026-11-21T08:59:59+00:00"]);
});

test("of the events for tokens the first is stored, as the time of the first token", () => {
  const span = spanOf({
    run_type: "llm",
    events: [
      { name: "start", time: 1_795_251_600_000 },
      ...[1, 2, 3].map((second) => ({ name: "new_token", time: `2026-11-21T09:00:0${second}+00:00` })),
      { name: "end", time: "?" },
    ],
  });

  expect(span?.completion_start_time).toBe("2026-11-21T09:00:01+00:00");
  expect(span?.metadata?.["otel.events"]).toMatchObject([{ name: "start" }, { name: "new_token" }, { name: "end" }]);
});

test("an unfinished run has no output, even if the SDK sends an empty one, and a failed one has its error", () => {
  const [open, failed] = [
    spanOf({ outputs: {} }),
    spanOf({ error: { reason: "x" }, end_time: "2026-11-21T09:01:00Z" }),
  ];

  expect(open).toMatchObject({ status: "UNSET", ended_at: null });
  expect(open?.output).toBeUndefined();
  expect(failed).toMatchObject({ status: "ERROR", error: '{"reason":"x"}' });
});

test("a run's trace, parent and start follow from its dotted order", () => {
  const { runs } = sentRuns({
    post: [{ id: childId, dotted_order: `${rootOrder}.20261121T090000500000Z${childId}` }],
    patch: [{ id: rootId.replaceAll("-", ""), dotted_order: rootOrder }],
  });

  expect(runs.map(({ place }) => place)).toEqual([
    { traceId: rootId, parentId: rootId, startedAt: "2026-11-21T09:00:00.500000+00:00" },
    { traceId: rootId, parentId: null, startedAt: "2026-11-21T09:00:00.000001+00:00" },
  ]);
});

test("what a run tells itself counts before its dotted order", () => {
  const ownPlace = { trace_id: childId, parent_run_id: childId, start_time: "2026-11-21T10:00:00Z" };
  const dotted_order = `${rootOrder}.20261121T090000500000Z${childId}`;

  expect(sentRuns({ post: [{ id: childId, dotted_order, ...ownPlace }], patch: [] }).runs).toMatchObject([
    { place: { traceId: childId, parentId: childId, startedAt: "2026-11-21T10:00:00+00:00" } },
  ]);
});

test("feedback of the root is one of the trace, and a value that is null is none beside the score", () => {
  const feedback = { run_id: rootId, trace_id: rootId, key: "a", score: 1, value: null };

  expect(langsmithFeedbackSource.parse(feedback)).toMatchObject({ target: { spanId: null }, score: { metadata: {} } });
  expect(langsmithFeedbackSource.parse(feedback)).not.toHaveProperty("score.metadata.value");
});

test("fields that the schema of a run lacks are collected from all its items in a request", () => {
  const { runs } = sentRuns({ post: [{ id: rootId, a: 1, b: 1 }], patch: [{ id: rootId, b: 2, c: 3 }] });

  expect(runs).toMatchObject([{ otherFields: { a: 1, b: 2, c: 3 } }]);
});

test("a run and its change in one request are one run: what the change lacks is kept", () => {
  const { runs, flaws } = sentRuns({
    post: [{ id: rootId, name: "agent", inputs: { a: 1 } }, { name: "without an id" }],
    patch: [{ id: rootId, name: null, outputs: { b: 2 } }],
  });

  expect(runs).toMatchObject([{ isNew: true, run: { name: "agent", inputs: { a: 1 }, outputs: { b: 2 } } }]);
  expect(flaws).toMatchObject([{ loc: ["post", 1, "id"] }]);
});

test.each([
  [{ score: 0.25 }, { data_type: "NUMERIC", value: "0.25" }],
  [
    { score: false, value: "x" },
    { data_type: "BOOLEAN", value: "false", metadata: { value: "x" } },
  ],
  [{ value: { a: 1 } }, { data_type: "CATEGORICAL", value: '{"a":1}' }],
  [
    { score: 1, correction: "b" },
    { value: "1", metadata: { "langsmith.correction": "b" } },
  ],
  [{ score: 1, feedback_source: { type: "model" } }, { value: "1" }],
])("feedback with %j becomes a score", (fields, score) => {
  const feedback = { id: childId, run_id: childId, trace_id: rootId, key: "helpful", ...fields };

  expect(langsmithFeedbackSource.parse(feedback)).toMatchObject({
    id: childId,
    target: { kind: "trace", traceId: rootId, spanId: childId },
    score: { name: "helpful", source: "PROGRAMMATIC", ...score },
  });
});

test.each([
  ["score", { run_id: rootId }],
  ["score", { run_id: rootId, score: null, value: "" }],
  ["score", { run_id: rootId, comment: "Good." }],
  ["score", { run_id: rootId, score: "NaN" }],
  ["value", { run_id: rootId, value: "-Infinity" }],
  ["run_id", { session_id: rootId, score: 1 }],
  ["metadata", { run_id: rootId, score: 1, correction: "x".repeat(70_000) }],
])("feedback without a valid %s is refused", (field, feedback) => {
  expect(langsmithFeedbackSource.parse({ key: "a", ...feedback })).toEqual({ field, message: expect.any(String) });
});

test("the pieces of a stream that a function yielded are its text, and other texts are a list", () => {
  const outputOf = (output: readonly string[]) =>
    spanOf({ run_type: "chain", outputs: { output: [...output] } })?.output;

  expect(outputOf(["It ", "is ", "sunny."])).toBe("It is sunny.");
  expect(outputOf(["a.txt", "b.txt"])).toEqual(["a.txt", "b.txt"]);
});

test("messages that are pairs of role and content are messages, other lists are data", () => {
  const pairs = [
    ["system", "Be brief."],
    ["human", "Rain?"],
  ];
  const inputOf = (inputs: JsonObject) => spanOf({ run_type: "chain", inputs })?.input;

  expect(inputOf({ messages: pairs })).toEqual([
    { role: "system", content: "Be brief." },
    { role: "user", content: "Rain?" },
  ]);
  expect(inputOf({ rows: [["user", "mia"]] })).toEqual({ rows: [["user", "mia"]] });
});

test.each([
  ["abc", { dotted_order: "abc" }],
  [rootOrder, {}],
])("a dotted order %s stays with its run where it cannot be read", (dotted_order, otherFields) => {
  const { runs } = sentRuns({ post: [{ id: rootId, dotted_order, start_time: "2026-11-21T09:00:00Z" }], patch: [] });

  expect(runs.map((each) => each.otherFields)).toEqual([otherFields]);
});
