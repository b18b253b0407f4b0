import { readFileSync } from "node:fs";
import type { Send } from "./caller.ts";
import { uuidOf } from "./write-ids.ts";

const second = 1_000;

/** Spans of every kind, nested three levels deep, with every field. */
const spansAt = (name: string, start: number) => {
  const at = (seconds: number): string => new Date(start + seconds * second).toISOString();
  const id = (span: string): string => uuidOf(`${name}/${span}`);
  return [
    {
      span_id: id("agent"),
      name: "agent",
      kind: "AGENT",
      status: "OK",
      started_at: at(0),
      ended_at: at(9),
      input: { question: "Where is my order 1042?" },
      output: "It arrives tomorrow.",
      metadata: { "crew.role": "support", attempt: 1.5 },
    },
    {
      span_id: id("plan"),
      parent_span_id: id("agent"),
      name: "plan",
      kind: "CHAIN",
      status: "OK",
      started_at: at(0.25),
      ended_at: at(2),
      output: ["look the order up", "answer"],
    },
    {
      span_id: id("chat"),
      parent_span_id: id("plan"),
      name: "chat",
      kind: "LLM",
      status: "OK",
      started_at: at(0.5),
      ended_at: at(1.75),
      completion_start_time: at(0.75),
      model: "gpt-5.4-mini",
      model_parameters: { temperature: 0.2, stop: ["\n"] },
      input: { messages: [{ role: "user", content: "Where is my order 1042?" }] },
      output: { role: "assistant", content: "I look it up." },
      token_usage: { prompt_tokens: 412, completion_tokens: 38, cached: 128 },
      cost: { total: 0.000487, currency: "USD" },
    },
    {
      span_id: id("search"),
      parent_span_id: id("agent"),
      name: "search_orders",
      kind: "RETRIEVER",
      status: "OK",
      started_at: at(2.5),
      ended_at: at(3),
      input: { order: 1042 },
      output: [{ id: "1042", state: "shipped" }],
    },
    {
      span_id: id("embed"),
      parent_span_id: id("search"),
      name: "embed",
      kind: "EMBEDDING",
      started_at: at(2.6),
      model: "text-embedding-3-small",
      token_usage: { prompt_tokens: 7 },
    },
    {
      span_id: id("lookup"),
      parent_span_id: id("agent"),
      name: "lookup_order",
      kind: "TOOL",
      status: "ERROR",
      error: "order service: connection timed out",
      started_at: at(3.5),
      ended_at: at(8.5),
      input: { order: 1042 },
    },
  ];
};

/** A trace with every field. */
export const fullTrace = (name: string, start: number, extraFields: object = {}) => ({
  trace_id: uuidOf(name),
  name,
  status: "COMPLETED",
  started_at: new Date(start).toISOString(),
  ended_at: new Date(start + 9 * second).toISOString(),
  input: { question: "Where is my order 1042?", größe: "Ü 🙂" },
  output: { answer: "It left our warehouse and arrives tomorrow.", score: 0.25 },
  metadata: { customer: { tier: "gold", since: 2019 }, empty: {}, none: null },
  session_id: "chat-7",
  user_id: "user-1",
  environment: "production",
  release: "2026.11.1",
  tags: ["checkout", "größe", "vip"],
  spans: spansAt(name, start),
  ...extraFields,
});

/** A minimal trace that can be judged. */
export const smallTrace = (name: string, start: number, extraFields: object = {}) => ({
  trace_id: uuidOf(name),
  name,
  started_at: new Date(start).toISOString(),
  ended_at: new Date(start + 2 * second).toISOString(),
  input: "Hello?",
  output: "Hello!",
  ...extraFields,
});

const words =
  "The parcel of the customer was scanned again and nobody knows why it went back to the sorting centre.".split(" ");

/** Reproducible prose-like text. */
const textOf = (length: number): string => {
  let [state, text] = [1, ""];
  while (text.length < length) {
    state = (state * 48_271) % 2_147_483_647;
    text += `${words[state % words.length]} `;
  }
  return text;
};

/** Writes traces in all storage formats, as one user sends them. */
export const writeTraces = async (send: Send, now: number): Promise<void> => {
  const start = now - 3_600_000;
  await send("POST", "/traces", fullTrace("whole", start));

  // A document in several pieces: the trace, late spans, changes, the trace again, and tags.
  const pieces = fullTrace("pieces", start + 60_000);
  const lateSpans = pieces.spans.slice(3);
  await send("POST", "/traces", { ...pieces, spans: pieces.spans.slice(0, 3) });
  const path = `/traces/${pieces.trace_id}`;
  await send("POST", `${path}/spans`, lateSpans);
  await send("PATCH", path, { status: "ERROR", output: null, metadata: { patched: true }, tags: ["patched"] });
  await send("PATCH", `${path}/spans/${lateSpans[2]?.span_id}`, {
    status: "OK",
    error: null,
    output: { state: "shipped" },
  });
  await send("POST", "/traces", { ...pieces, spans: [], metadata: { again: 2 }, tags: ["again"], user_id: "user-2" });
  await send("POST", "/traces/batch/tags", { trace_ids: [pieces.trace_id], add_tags: ["late"], remove_tags: ["vip"] });

  // Enough changes for a writer to merge the pieces into one and append further ones.
  const folded = smallTrace("folded", start + 120_000, { session_id: "chat-8" });
  await send("POST", "/traces", folded);
  for (let change = 0; change < 36; change += 1)
    await send("PATCH", `/traces/${folded.trace_id}`, { metadata: { [`change-${change}`]: change } });

  // Moved to another start, and thus to another row.
  await send("POST", "/traces", smallTrace("moved", start - 86_400_000));
  await send("POST", "/traces", smallTrace("moved", start + 180_000, { tags: ["moved"] }));

  const spans = Array.from({ length: 120 }, (_, index) => ({
    span_id: uuidOf(`large/${index}`),
    name: `step ${index}`,
    kind: "TOOL",
    started_at: new Date(start + index * second).toISOString(),
    input: textOf(300),
    output: textOf(1_500),
  }));
  await send("POST", "/traces", fullTrace("large", start + 240_000, { spans, session_id: null }));

  // Model calls in many hours, with more models than fit into a row.
  const calls = (name: string, count: number, model: (index: number) => string, apart: number) =>
    Array.from({ length: count }, (_, index) => ({
      span_id: uuidOf(`${name}/${index}`),
      name: "chat",
      kind: "LLM",
      model: model(index),
      started_at: new Date(start - index * apart).toISOString(),
      token_usage: { prompt_tokens: 100 + index, completion_tokens: 10 },
      cost: { total: 0.0001 * index },
    }));
  const hourly = calls("hourly", 60, () => "gpt-5.4-mini", 3_600_000);
  const crowded = calls("crowded", 400, (index) => `house-model-with-a-long-name-${index}`, second);
  await send("POST", "/traces", smallTrace("hourly", start, { spans: hourly }));
  await send("POST", "/traces", smallTrace("crowded", start, { spans: crowded }));

  await send("POST", "/traces/batch", {
    traces: [
      ...["PENDING", "RUNNING", "ERROR"].map((status, index) =>
        smallTrace(status.toLowerCase(), start + (300 + index) * second, {
          status,
          session_id: "chat-8",
          user_id: "user-3",
        }),
      ),
      {
        name: "ends before it starts",
        started_at: "0001-01-01T00:00:00Z",
        trace_id: uuidOf("ancient"),
        ended_at: "9999-12-31T23:59:59.999999Z",
      },
      { name: "no end", started_at: new Date(start).toISOString(), trace_id: uuidOf("endless"), tags: [] },
    ],
  });

  // Deleted traces, one of which is sent again.
  for (const name of ["deleted", "returned"]) {
    const trace = fullTrace(name, start + 420_000, { session_id: "chat-9" });
    await send("POST", "/traces", trace);
    await send("DELETE", `/traces/${trace.trace_id}`);
  }
  await send("POST", "/traces", smallTrace("returned", start + 480_000, { session_id: "chat-9" }));
  for (let index = 0; index < 3; index += 1)
    await send("POST", "/traces", smallTrace(`doomed-${index}`, start + 540_000, { session_id: "gone" }));
  await send("DELETE", "/sessions/gone");
};

/** Sends OTLP exports of real SDKs, one of them in two requests. */
export const writeTelemetry = async (send: Send): Promise<void> => {
  for (const file of ["ai-sdk.pb", "openinference-core.pb", "opentelemetry-sdk.json", "traceloop-sdk.pb"]) {
    const bytes = readFileSync(new URL(`../fixtures/otlp/${file}`, import.meta.url));
    const type = file.endsWith(".pb") ? "application/x-protobuf" : "application/json";
    // The reply to protobuf is protobuf: empty when all spans are accepted.
    await send("POST", "/v1/traces", bytes, { "content-type": type });
  }
};
