import { expect, test } from "vitest";
import { renderTranscript } from "../../../../lib/judge/transcript/transcript.ts";
import { toolCalls } from "../../../../lib/metrics/trace/tool-calls.ts";
import { recordedRequest, tracesIn } from "../../../support/otlp/otlp-fixtures.ts";
import { sentTrace, spanOfKind } from "../../../support/otlp/sent-trace.ts";

const [trace, broken] = tracesIn(recordedRequest("frameworks/mastra.00236._v1_traces.pb.gz"));
if (trace === undefined || broken === undefined) throw new Error("The recording has three traces.");

const answer = { role: "assistant", content: "It is 18 degrees and sunny in Paris, so no umbrella is needed." };
const call = { type: "function", function: { name: "get_weather", arguments: { city: "Paris" } } };

test("a run of a Mastra agent has its question, answer, session, user, tags and metadata", () => {
  expect(trace).toMatchObject({
    name: "weather_agent",
    input: "Do I need an umbrella in Paris?",
    output: [answer],
    session_id: "m-sess",
    user_id: "m-user",
    tags: ["x"],
  });
  expect(trace.metadata).toMatchObject({ plan: "pro" });
  expect(toolCalls(trace)).toMatchObject([{ name: "get_weather", result: { city: "Paris", temp_c: 18 } }]);
  expect(toolCalls(broken)).toMatchObject([{ name: "broken_tool", error: expect.stringContaining("503") as string }]);
});

test("a step of a Mastra model and the request in it are one call, with messages, tool calls, tokens and the first token", () => {
  const calls = trace.spans
    .filter(({ kind }) => kind === "LLM")
    .toSorted((a, b) => (a.started_at < b.started_at ? -1 : 1));
  const model = {
    model: "gpt-5-mini-2026-04-01",
    token_usage: { prompt_tokens: 120, completion_tokens: 40, cache_read_tokens: 64, reasoning_tokens: 16 },
    completion_start_time: "2026-11-23T18:54:09.140000+00:00",
  };
  const question = [
    { role: "system", content: "You are a helpful assistant." },
    { role: "user", content: "Do I need an umbrella in Paris?" },
  ];

  expect(calls).toMatchObject([
    { ...model, input: question, output: [{ role: "assistant", tool_calls: [call] }] },
    { ...model, input: [...question, { role: "assistant" }, { role: "tool" }], output: [answer] },
  ]);
});

test("every span of Mastra has a kind, and a judge is shown no bookkeeping", () => {
  expect(trace.spans.filter(({ kind }) => kind === "OTHER")).toEqual([]);
  expect(renderTranscript(trace, 100_000).text).not.toMatch(
    /mastra\.|runId|system_fingerprint|keep-alive|providerOptions/u,
  );
});

test("a model generation of an earlier Mastra, which is the model call, is one", () => {
  const attributes = {
    "gen_ai.operation.name": "chat",
    "mastra.span.type": "model_generation",
    "gen_ai.usage.input_tokens": 9,
  };

  expect(spanOfKind(sentTrace([{ name: "chat", attributes }]), "LLM").token_usage).toEqual({ prompt_tokens: 9 });
});
