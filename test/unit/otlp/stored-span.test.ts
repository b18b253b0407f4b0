import { expect, test } from "vitest";
import { firstErrorOf } from "../../../lib/domain/traces/first-error.ts";
import { usageTotalKey } from "../../../lib/domain/traces/usage/counted-usage.ts";
import { event, storedSpan } from "../../support/otlp/otlp-span.ts";
import { sentTrace } from "../../support/otlp/sent-trace.ts";

test("tokens and settings in another convention only are added to those of the first", () => {
  const span = storedSpan({
    "gen_ai.operation.name": "chat",
    "gen_ai.usage.input_tokens": 9,
    "gen_ai.request.temperature": 0.5,
    "llm.token_count.prompt": 8,
    "llm.token_count.prompt_details.cache_read": 4,
    "ai.usage.reasoningTokens": 2,
    "ai.settings.maxRetries": 1,
  });

  expect(span).toMatchObject({
    token_usage: { prompt_tokens: 9, cache_read_tokens: 4, reasoning_tokens: 2 },
    model_parameters: { temperature: 0.5, maxRetries: 1 },
    metadata: { "otel.attributes": { "llm.token_count.prompt": 8 } },
  });
});

test("embedding vectors are hidden, and their texts are the input", () => {
  const inference = storedSpan({
    "openinference.span.kind": "EMBEDDING",
    "embedding.embeddings.0.embedding.text": "Hi",
    "embedding.embeddings.0.embedding.vector": "[0.1,0.2]",
  });
  const sdk = storedSpan({
    "ai.operationId": "ai.embedMany.doEmbed",
    "ai.values": ['"Hi"', '"Ho"'],
    "ai.embeddings": ["[0.1,0.2]", "[0.3,0.4]"],
  });

  expect(inference).toMatchObject({ kind: "EMBEDDING", input: ["Hi"] });
  expect(sdk).toMatchObject({ kind: "EMBEDDING", input: ["Hi", "Ho"] });
  expect(
    [inference, sdk].map(({ metadata }) => Object.keys(metadata).filter((key) => !key.startsWith("otel."))),
  ).toEqual([[], []]);
  expect(sdk.metadata["otel.attributes"]).toMatchObject({ "ai.embeddings": ["[0.1,0.2]", "[0.3,0.4]"] });
});

test("a reranking of the AI SDK has its documents and their order", () => {
  const span = storedSpan({
    "ai.operationId": "ai.rerank.doRerank",
    "ai.documents": ['"Order 7"', '{"id":8}'],
    "ai.ranking": ['{"index":1,"score":0.5}'],
  });

  expect(span).toMatchObject({
    kind: "RETRIEVER",
    input: ["Order 7", { id: 8 }],
    output: [{ index: 1, score: 0.5 }],
  });
});

test("an agent has its own name, a model call within it has not", () => {
  const agentName = { "gen_ai.agent.name": "support" };

  expect(storedSpan({ ...agentName, "gen_ai.operation.name": "invoke_agent" })).toMatchObject({
    name: "support",
    metadata: { "otel.name": "step" },
  });
  expect(storedSpan({ ...agentName, "gen_ai.operation.name": "chat" })).toMatchObject({
    name: "step",
    metadata: { "otel.attributes": agentName },
  });
});

test("a tool result that is a text is shown without quotation marks", () => {
  const tool = (result: string) =>
    storedSpan({ "gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.result": result });

  expect(tool('"shipped"').output).toBe("shipped");
  expect(tool('{"state":"shipped"}').output).toEqual({ state: "shipped" });
  expect(tool('"a" or "b"').output).toBe('"a" or "b"');
  expect(tool("shipped").output).toBe("shipped");
});

test("an agent's usage is that of its span", () => {
  const span = storedSpan({ "gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": 500 });

  expect(span).toMatchObject({ kind: "AGENT", token_usage: { prompt_tokens: 500 } });
});

test.each([
  [{ "gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": 5 }, {}, false],
  [{ "gen_ai.aggregated_usage.input_tokens": 5 }, {}, true],
  [{ "ai.operationId": "ai.generateText", "ai.usage.inputTokens": 5 }, {}, true],
  [{ "ai.operationId": "ai.generateText.doGenerate", "ai.usage.inputTokens": 5 }, {}, false],
  [
    { "openinference.span.kind": "AGENT", "llm.cost.total": 0.5 },
    { scope: "openinference.instrumentation.claude_agent_sdk" },
    true,
  ],
  [
    { "openinference.span.kind": "LLM", "llm.cost.total": 0.5 },
    { scope: "openinference.instrumentation.claude_agent_sdk" },
    false,
  ],
  [{ "ai.operationId": "ai.generateText" }, {}, false],
  [{ "gen_ai.operation.name": "chat", "llm.token_count.total": 5 }, {}, false],
])("usage is a total where its SDK defines it as one: %j %j", (attributes, fields, isTotal) => {
  const [span] = sentTrace([{ name: "run", attributes, ...fields }]).spans;

  expect(span?.metadata[usageTotalKey] === true).toBe(isTotal);
});

test("no attribute is lost, whatever its value", () => {
  const span = storedSpan(
    {
      colour: "blue",
      big: 9_007_199_254_740_991,
      "gen_ai.prompt.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0": "deep",
      "llm.invocation_parameters": "no JSON",
      __proto__x: "x",
      "gen_ai.tool.call.arguments": "{not JSON",
    },
    { links: [{ traceId: "11".repeat(16), spanId: "22".repeat(8) }], traceState: "a=b", droppedEventsCount: 2 },
  );

  expect(span).toMatchObject({
    input: "{not JSON",
    metadata: {
      colour: "blue",
      big: 9_007_199_254_740_991,
      "gen_ai.prompt.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0": "deep",
      "llm.invocation_parameters": "no JSON",
      "otel.links": [{ trace_id: "11".repeat(16), span_id: "22".repeat(8) }],
      "otel.others": { trace_state: "a=b", dropped_events: 2 },
    },
  });
});

test("a name and a model that are too long are cut, and kept whole in the raw attributes", () => {
  const [name, model] = ["n".repeat(600), "m".repeat(300)];
  const span = storedSpan({ "gen_ai.request.model": model }, { name });

  expect(span).toMatchObject({
    name: `${"n".repeat(511)}…`,
    model: `${"m".repeat(254)}…`,
    metadata: { "otel.name": name, "otel.model": model },
  });
});

const encoded = (value: unknown, times: number): string =>
  times === 1 ? JSON.stringify(value) : JSON.stringify(encoded(value, times - 1));

test.each<[name: string, sent: string | readonly string[]]>([
  ["JSON", encoded([{ role: "user", content: "Hello" }], 1)],
  ["JSON of JSON", encoded([{ role: "user", parts: [{ type: "text", content: "Hello" }] }], 2)],
  ["JSON three times", encoded([{ role: "user", content: "Hello" }], 3)],
  ["a list of JSON texts", [encoded({ role: "user", content: "Hello" }, 1)]],
])("messages in %s are messages", (_name, sent) => {
  const inputs = ["gen_ai.input.messages", "gen_ai.prompt", "input.value"].map(
    (name) => storedSpan({ "gen_ai.operation.name": "chat", [name]: sent }).input,
  );

  expect(inputs).toEqual(inputs.map(() => [{ role: "user", content: "Hello" }]));
});

test.each(['"[see] above"', '"{name}"', '"plain"', '"'])("the text %s stays a text", (text) => {
  expect(storedSpan({ "openinference.span.kind": "CHAIN", "input.value": text }).input).toBe(text);
});

test("an exception that is rethrown is recorded once", () => {
  const thrown = (stack: string) =>
    event("exception", {
      "exception.type": "Gone",
      "exception.message": "x",
      "exception.stacktrace": `Gone: x at ${stack}`,
    });

  expect(storedSpan({}, { status: { code: 2 }, events: [thrown("a"), thrown("b")] }).error).toBe("Gone: x at a");
});

test("a message that begins with its type is told once", () => {
  const thrown = event("exception", {
    "exception.type": "Error",
    "exception.message": "Error: upstream 503",
    "exception.stacktrace": "Error: Error: upstream 503\n    at call (/srv/app.js:3:9)",
  });

  expect(storedSpan({}, { status: { code: 2 }, events: [thrown] }).error).toBe(
    "Error: upstream 503\n    at call (/srv/app.js:3:9)",
  );
});

test("different errors of one Python program are different errors in a list", () => {
  const frames = 'Traceback (most recent call last):\n  File "/srv/app/main.py", line 9, in agent\n    raise error\n';
  const rows = [
    ["ValueError", "quota of mia is spent"],
    ["KeyError", "'city'"],
    ["TimeoutError", ""],
  ].map(([type = "", message = ""]) => {
    const raisedText = message === "" ? type : `${type}: ${message}`;
    const attributes = {
      "exception.type": type,
      "exception.message": message,
      "exception.stacktrace": `${frames}${raisedText}\n`,
    };
    const { spans } = sentTrace([
      { name: "agent", attributes: {}, status: "ERROR", events: [event("exception", attributes)] },
    ]);
    return { error: spans[0]?.error, first: firstErrorOf(spans)?.text, raisedText };
  });

  expect(rows.map(({ first }) => first)).toEqual(rows.map(({ raisedText }) => raisedText));
  expect(rows.map(({ error }) => error)).toEqual(
    rows.map(({ raisedText }) => `${raisedText}\n${frames}${raisedText}\n`),
  );
});

test("connection attributes of a model call are hidden, those of other spans are not", () => {
  const reached = { "server.address": "example.com", "http.request.method": "POST" };
  const shownMetadata = (attributes: Parameters<typeof storedSpan>[0]) =>
    Object.keys(storedSpan(attributes).metadata).filter((key) => !key.startsWith("otel."));

  expect(shownMetadata({ ...reached, "gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai" })).toEqual([]);
  expect(shownMetadata(reached)).toEqual(["server.address", "http.request.method"]);
});

test("finish reasons are shown where they matter", () => {
  const reasons = (...each: readonly string[]) =>
    storedSpan({ "gen_ai.operation.name": "chat", "gen_ai.response.finish_reasons": each }).metadata;

  expect(reasons("stop")).not.toHaveProperty(["gen_ai.response.finish_reasons"]);
  expect(reasons("length")).toHaveProperty(["gen_ai.response.finish_reasons"], ["length"]);
});
