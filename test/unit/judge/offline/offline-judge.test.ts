import { array, number, object, parse, picklist, string } from "valibot";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startOfflineJudge, type OfflineJudge } from "../../../../infra/local/offline-judge/offline-judge.ts";
import { rules } from "../../../../infra/local/offline-judge/rules.ts";
import type { Json } from "../../../../lib/domain/json.ts";
import type { Trace } from "../../../../lib/domain/traces/trace.ts";
import { defineMetric, type Metric } from "../../../../lib/judge/metric/metric.ts";
import { traceMetrics } from "../../../../lib/metrics/trace/definitions.ts";
import { cosineDistance } from "../../../../lib/metrics/trace/similarity.ts";
import { judgeOf, span, trace } from "../fixtures.ts";

let offline: OfflineJudge;
beforeAll(async () => {
  offline = await startOfflineJudge();
});
afterAll(() => offline.close());

const score = async (metric: string, fields: Partial<Trace>, metrics: readonly Metric[] = traceMetrics) => {
  const { judge, request, deadline } = judgeOf(offline, {
    metrics,
    providers: { offline: { baseUrl: "/base-url" } },
    parameter: async () => offline.url,
  });
  return judge.target({ ...request, trace: trace(fields), model: "offline/rules" }).score(metric, deadline());
};
const tool = (id: string, fields: Parameters<typeof span>[1] = {}) =>
  span(id, {
    kind: "TOOL",
    name: "search",
    input: { query: id },
    started_at: `2026-03-01T10:00:00.${id}+00:00`,
    ...fields,
  });

describe("the offline judge", () => {
  test.each<[number, string, Partial<Trace>]>([
    [1, "a completed trace without errors", {}],
    [0, "no output", { output: null }],
    [0, "an empty output", { output: {} }],
    [0.25, "an ended with error", { status: "ERROR" }],
    [0.5, "a trace still running", { status: "RUNNING" }],
    [0.5, "one of two spans failed", { spans: [span("a"), span("b", { status: "ERROR" })] }],
  ])("gives task_completion %f for %s", async (value, _, fields) => {
    expect(await score("task_completion", fields)).toMatchObject({
      kind: "scored",
      value,
      reason: expect.stringMatching(/^offline\/rules: /u),
    });
  });

  test.each<[number, string, Partial<Trace>]>([
    [1, "a question that is answered", { input: "Where is my order?", spans: [tool("1")] }],
    [0.25, "a change that no call makes", { input: "Please cancel my order.", spans: [tool("1")] }],
    [1, "a change that a call makes", { input: "Please cancel it.", spans: [tool("1", { name: "cancel_order" })] }],
    [0.5, "a hand-over to a person", { spans: [tool("1", { name: "transfer_to_human_agents" })] }],
    [0.5, "a refusal", { output: "I am unable to do that.", spans: [tool("1")] }],
    [0.5, "a last call that failed in its words", { spans: [tool("1"), tool("2", { output: "Error: not found" })] }],
  ])("gives task_completion %f for %s, and reports neither success nor failure", async (value, _, fields) => {
    expect(await score("task_completion", fields)).toMatchObject({
      value,
      metadata: { judge: "rules", success: null },
    });
  });

  test("reads every turn of the user", async () => {
    const messages = [
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Yes?" },
      { role: "user", content: "Cancel my booking, please." },
    ];
    const spans = [span("0", { kind: "LLM", input: { messages } }), tool("1")];

    expect(await score("task_completion", { input: "Hello", spans })).toMatchObject({ value: 0.25 });
  });

  test.each<[number, string, Partial<Trace>]>([
    [1, "calls that all differ", { spans: ["1", "2", "3"].map((id) => tool(id)) }],
    [0.5, "one of two calls failed", { spans: [tool("1"), tool("2", { status: "ERROR" })] }],
    [0.5, "the same call twice", { spans: [tool("1"), tool("2", { input: { query: "1" } })] }],
    [0, "every call failed", { spans: [tool("1", { status: "ERROR" })] }],
  ])("gives tool_correctness %f for %s", async (value, _, fields) => {
    expect(await score("tool_correctness", fields)).toMatchObject({
      kind: "scored",
      value,
      reason: expect.stringMatching(/^offline\/rules: /u),
    });
  });

  test.each<[number, string, Partial<Trace>]>([
    [1, "two calls without errors", { spans: [tool("1"), tool("2")] }],
    [0.5, "one of two calls failed", { spans: [tool("1"), tool("2", { error: "gone" })] }],
    [1, "no calls, without being asked", { spans: [] }],
  ])("gives argument_correctness %f for %s", async (value, _, fields) => {
    expect(await score("argument_correctness", fields)).toMatchObject({ kind: "scored", value });
  });

  test.each(["read_rules", "list_tools", "ToolSearch", "rules.search"])(
    "does not hold repeated and failed calls of the agent's harness against it: %s",
    async (name) => {
      const calls = ["2", "3", "4"].map((id) => tool(id, { name, input: "same", error: "gone", status: "ERROR" }));
      const spans = [tool("1"), ...calls];
      for (const metric of ["step_efficiency", "tool_correctness", "confidence"])
        expect(await score(metric, { spans })).toMatchObject({ value: 1 });
    },
  );

  test.each<[number, string, Partial<Trace>]>([
    [1, "calls that all differ", { spans: [tool("1"), tool("2")] }],
    [0.25, "one of two calls repeated", { spans: [tool("1"), tool("2", { input: { query: "1" } })] }],
    [0, "all but one call repeated", { spans: ["1", "2", "3"].map((id) => tool(id, { input: "same" })) }],
  ])("gives step_efficiency %f for %s", async (value, _, fields) => {
    expect(await score("step_efficiency", fields)).toMatchObject({
      kind: "scored",
      value,
      reason: expect.stringMatching(/^offline\/rules: /u),
    });
  });

  test.each<[number, string, Partial<Trace>]>([
    [1, "a plain answer", {}],
    [0.75, "one hedging word", { output: "It is perhaps on its way." }],
    [0, "nothing but hedging", { output: "Maybe, perhaps, possibly, I think, I guess, probably, sorry: unclear." }],
  ])("gives confidence %f for %s", async (value, _, fields) => {
    expect(await score("confidence", fields)).toMatchObject({
      kind: "scored",
      value,
      reason: expect.stringMatching(/^offline\/rules: /u),
    });
  });

  const planned = (...steps: readonly string[]) => [
    span("a", {
      kind: "LLM",
      output: { role: "assistant", content: steps.map((step, index) => `${index + 1}. ${step}`).join("\n") },
      started_at: "2026-03-01T09:00:00+00:00",
    }),
    tool("1", { name: "search_orders", input: { customer: "Ada" } }),
  ];

  test("finds the plan that the agent writes before its first call, and compares the calls with it", async () => {
    const spans = planned("Search the orders of the customer", "Explain delivery delays");

    expect(await score("plan_adherence", { spans })).toMatchObject({
      kind: "scored",
      value: 0.5,
      reason: expect.stringMatching(/^offline\/rules: /u),
      metadata: { plan: ["Search the orders of the customer", "Explain delivery delays"] },
    });
    expect(await score("plan_quality", { spans })).toMatchObject({
      kind: "scored",
      value: 1,
      reason: expect.stringMatching(/^offline\/rules: /u),
    });
  });

  const judged = traceMetrics.filter(({ method }) => method === "judge").map(({ name }) => name);

  test.each(judged)("cites only what is in the record: %s", async (metric) => {
    const flawless = planned("Search the orders of the customer", "Explain delivery delays");
    const flawed = [
      ...flawless,
      tool("2", { error: "gone" }),
      tool("3", { input: "same" }),
      tool("4", { input: "same" }),
    ];

    for (const fields of [{ spans: flawless }, { spans: flawed, output: "Perhaps it arrives today.\nSorry." }]) {
      const { grounds } = await score(metric, fields);
      expect(grounds?.evidence?.dropped).toBe(0);
      expect(grounds?.evidence?.cited).not.toEqual([]);
    }
  });

  test("cites a hedging word alone where no span failed or repeated another", async () => {
    const { grounds } = await score("confidence", { output: "Perhaps it arrives today.", spans: [tool("1")] });

    expect(grounds?.evidence?.cited).toHaveLength(1);
  });

  test("lowers the score of a plan of empty phrases", async () => {
    expect(await score("plan_quality", { spans: planned("Think", "Do") })).toMatchObject({ value: 0 });
  });

  test.each(["plan_adherence", "plan_quality"])(
    "finds no plan where there is none: %s does not apply",
    async (metric) => {
      expect(await score(metric, {})).toMatchObject({
        kind: "scored",
        value: 1,
        reason: expect.stringMatching(/^Does not apply/u),
        metadata: { plan: [], attempts: 1 },
      });
    },
  );

  test("ignores a span that a trace only quotes", async () => {
    const output = '#1 TOOL ERROR: "search"\r#2 TOOL ERROR: "search"\u2028Trace status ERROR';

    expect(await score("tool_correctness", { output })).toMatchObject({ value: 1 });
    expect(await score("task_completion", { output })).toMatchObject({ value: 1 });
  });

  const longError = { success: false, error: "The warehouse does not answer, and nobody knows when it will." };

  test.each<Json>([
    "HTTP 503",
    "HTTP/1.1 502 Bad Gateway",
    "GET /orders returned HTTP 504",
    "Request failed with status code 500",
    "503 Service Unavailable",
    "HTTP 500: an internal error happened",
    "HTTP 429 Too Many Requests. It means that you should wait.",
    "The server answered with an HTTP 502 error.",
    "HTTP 503 was returned by the warehouse",
    "Call failed (status code: 500)",
    "Traceback (most recent call last)",
    "requests.exceptions.ConnectionError: reset",
    "Failed to connect",
    { success: false },
    { ok: false, reason: "closed" },
    '{"ok": false}',
    { result: { success: "false" } },
    { isError: true, content: [{ type: "text", text: "no" }] },
    { content: [{ type: "text", text: '{"success": false}' }] },
    { role: "tool", content: '{"error": "gone"}', tool_call_id: "1" },
    { statusCode: 500 },
    longError,
    JSON.stringify(longError),
  ])("takes a tool's result for a failure: %j", async (output) => {
    const spans = [tool("1"), tool("2", { output })];

    expect(await score("task_completion", { spans })).toMatchObject({ value: 0.5 });
    expect(await score("task_completion", { output, spans: [tool("1")] })).toMatchObject({ value: 0.25 });
  });

  test.each<Json>([
    { error: null, orders: [7] },
    { errors: [], error_count: 0, ok: true },
    { found: [{ order: 7, status: "failed" }] },
    { status: 200, total: 503 },
    "Error handling in Go is explicit.",
    "HTTP 500 means an internal error of the server.",
    "HTTP 404 Not Found is the status of a missing page.",
    "404 not found errors happen after a rename.",
    "An HTTP 503 (Service Unavailable) indicates that you should wait.",
    "If the API answers with HTTP 500, try again later.",
    "The endpoint returns HTTP 500 when the key is missing.",
    "Codes such as HTTP 502 and status 504 are about gateways.",
    "Failed payments were refunded.",
  ])("takes no result for a failure that is none: %j", async (output) => {
    expect(await score("task_completion", { spans: [tool("1", { output })] })).toMatchObject({ value: 1 });
    expect(await score("task_completion", { output, spans: [tool("1")] })).toMatchObject({ value: 1 });
  });

  test("reads a failed result where the transcript only refers to it, and an error beside the status OK", async () => {
    const failures = [tool("1", { output: longError }), tool("2", { output: longError }), tool("3", { error: "gone" })];

    expect(await score("tool_correctness", { spans: failures })).toMatchObject({ value: 0 });
  });

  test("does not take the answer of a model about a failure for one", async () => {
    const spans = [span("0", { kind: "LLM", output: '{"success": false}' }), tool("1")];

    expect(await score("task_completion", { spans })).toMatchObject({ value: 1 });
  });

  test("counts tokens by characters and answers the same each time", async () => {
    const [first, second] = [await score("task_completion", {}), await score("task_completion", {})];

    expect(first.reason).toBe(second.reason);
    expect(first.metadata["tokens"]).toEqual(second.metadata["tokens"]);
    expect(first.metadata["tokens"]).toMatchObject({ prompt: expect.any(Number), cached: 0 });
  });

  const post = (body: unknown, path = "/chat/completions") =>
    fetch(`${offline.url}${path}`, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) });
  const requestBody = (model = "rules") => ({
    model,
    messages: [{ role: "user", content: "?" }],
    response_format: {
      type: "json_schema",
      json_schema: { name: "other", strict: true, schema: { properties: { verdict: { type: "string" } } } },
    },
  });

  test("refuses a metric without a rule, and says what to do", async () => {
    const politeness = defineMetric({
      name: "politeness",
      description: "Evaluates whether the agent was polite.",
      category: "trace",
      threshold: 0.5,
      question: "Question: was the agent polite?",
      answer: object({ reason: string(), verdict: picklist(["polite", "rude"]) }),
      score: ({ reason, verdict }) => ({ value: verdict === "polite" ? 1 : 0, reason, details: {} }),
    });

    expect(await score("politeness", {}, [politeness])).toMatchObject({
      kind: "failed",
      code: "judge_refused",
      reason: "offline/rules has no rule for the question of politeness: use a real model.",
      metadata: { code: "judge_refused", model: "offline/rules", attempts: 1, cost_usd: 0 },
    });
  });

  test("has no rule for a question that the service never sends", () => {
    const judged = traceMetrics.flatMap((metric) => (metric.method === "judge" ? [metric] : []));
    const questionNames = new Set([...judged, ...judged.flatMap(({ needs }) => needs)].map(({ name }) => name));

    expect([...rules.keys()].filter((name) => !questionNames.has(name))).toEqual([]);
  });

  test("refuses in the form of the protocol", async () => {
    const reply: unknown = await (await post(requestBody(), "/v1/chat/completions")).json();

    expect(reply).toMatchObject({
      choices: [{ message: { content: null, refusal: "There is no rule for the question of other." } }],
      usage: { completion_tokens: expect.any(Number) },
    });
  });

  test.each([
    [404, requestBody("gpt-5"), undefined],
    [404, requestBody(), "/models"],
    [400, {}, undefined],
    [400, "{", undefined],
  ])("answers %i to %j at %s", async (status, body, path) => {
    expect((await post(body, path)).status).toBe(status);
  });

  const embed = async (input: unknown, fields: object = {}): Promise<unknown> =>
    await (await post({ model: "words", input, ...fields }, "/v1/embeddings")).json();
  const replyOf = object({ data: array(object({ embedding: array(number()) })) });
  const vectorsOf = async (...texts: readonly string[]) =>
    parse(replyOf, await embed(texts)).data.map(({ embedding }) => embedding);

  test("embeds texts by their words: the more words are shared, the nearer the vectors", async () => {
    const [text = [], near = [], far = [], none = []] = await vectorsOf(
      "the order has left the warehouse",
      "the order left our warehouse",
      "bake bread at night",
      "...",
    );

    const distances = [text, near, far].map((otherText) => cosineDistance(text, otherText));
    expect(distances).toEqual(distances.toSorted((a, b) => a - b));
    expect(distances[0]).toBeCloseTo(0, 6);
    expect(distances[2]).toBeCloseTo(0.7, 6);
    for (const vector of [text, near, far, none]) expect(Math.hypot(...vector)).toBeCloseTo(1, 6);
  });

  test("gives embeddings in both encodings of the protocol", async () => {
    const [plain = []] = await vectorsOf("some words");
    const packed = await embed("some words", { encoding_format: "base64" });

    expect(packed).toMatchObject({
      object: "list",
      model: "words",
      data: [{ index: 0, embedding: Buffer.from(Float32Array.from(plain).buffer).toString("base64") }],
      usage: { prompt_tokens: 3 },
    });
  });

  test.each([
    [404, { model: "ada", input: "x" }],
    [400, { model: "words", input: [] }],
    [400, { model: "words" }],
  ])("answers %i to embedding %j", async (status, body) => {
    expect((await post(body, "/embeddings")).status).toBe(status);
  });

  test("listens on this machine only", () => {
    expect(offline.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/u);
  });
});
