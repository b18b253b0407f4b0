import { expect, test } from "vitest";
import { parse } from "valibot";
import { exportLogs } from "../../../lib/contract/otlp/export-logs.ts";
import { mergeTrace } from "../../../lib/domain/traces/merge.ts";
import { foldPieces } from "../../../lib/domain/traces/piece.ts";
import { exportedEvents } from "../../../lib/otlp/logs/exported-event.ts";
import { tracesOfEvents } from "../../../lib/otlp/logs/event-traces.ts";
import { attributesOf, type Attributes } from "../../support/otlp/otlp-span.ts";
import { sentTrace } from "../../support/otlp/sent-trace.ts";

/** An event of the first span of `sentTrace`. @param nanos nanoseconds after 09:00 of its time and its observation. */
const record = (eventName: string, attributes: Attributes, [time, observed]: readonly [number, number] = [1, 1]) => ({
  timeUnixNano: String(1_795_251_600_000_000_000n + BigInt(time)),
  observedTimeUnixNano: String(1_795_251_600_000_000_000n + BigInt(observed)),
  eventName,
  attributes: attributesOf(attributes),
  traceId: "5b8efff798038103d269b633813fc60c",
  spanId: "0000000000000001",
});

/** The trace that a request of log records contains. */
const tracesOfRecords = (logRecords: readonly ReturnType<typeof record>[]) => {
  const { events } = exportedEvents(parse(exportLogs.body, { resourceLogs: [{ scopeLogs: [{ logRecords }] }] }));
  const [first] = tracesOfEvents(events).traces;
  if (first === undefined) throw new Error("The request has no event.");
  return first.trace;
};

const call = sentTrace([
  { name: "chat gpt-5", attributes: { "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5" } },
]);

test("details of a model call are its span's: instructions, tokens and the conversation's id", () => {
  const details = tracesOfRecords([
    record("gen_ai.client.inference.operation.details", {
      "gen_ai.operation.name": "chat",
      "gen_ai.conversation.id": "chat-7",
      "user.id": "u-1",
      "gen_ai.usage.input_tokens": 12,
      "gen_ai.usage.output_tokens": 3,
      "gen_ai.system_instructions": '[{"type":"text","content":"Be short."}]',
      "gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"Hi"}]}]',
      "gen_ai.output.messages": '[{"role":"assistant","parts":[{"type":"text","content":"Hello"}]}]',
    }),
  ]);
  const conversation = [
    { role: "system", content: "Be short." },
    { role: "user", content: "Hi" },
  ];

  const waiting = mergeTrace(null, details);
  const before = foldPieces([
    { kind: "trace", trace: details },
    { kind: "telemetry", trace: call },
  ]);
  const after = foldPieces([
    { kind: "trace", trace: call },
    { kind: "telemetry", trace: details },
  ]);

  for (const trace of [waiting, before, after]) {
    expect(trace).toMatchObject({ session_id: "chat-7", user_id: "u-1", input: conversation });
    expect(trace.spans).toMatchObject([
      {
        input: conversation,
        output: [{ role: "assistant", content: "Hello" }],
        token_usage: { prompt_tokens: 12, completion_tokens: 3 },
      },
    ]);
  }
});

test("an event whose body is a JSON text has the message in it", () => {
  const body = (value: object) => ({ body: { stringValue: JSON.stringify(value) } });
  const { spans } = mergeTrace(
    null,
    tracesOfRecords([
      { ...record("gen_ai.user.message", {}), ...body({ role: "user", content: "Rain?" }) },
      { ...record("gen_ai.choice", {}), ...body({ index: 0, message: { role: "assistant", content: "No." } }) },
    ]),
  );

  expect(spans).toMatchObject([
    { input: [{ role: "user", content: "Rain?" }], output: [{ role: "assistant", content: "No." }] },
  ]);
});

test("tokens in the details of an agent's call are not counted, and a span's own tokens win", () => {
  const usage = { "gen_ai.usage.input_tokens": 12 };
  const details = (operation: string) =>
    tracesOfRecords([
      record("gen_ai.client.inference.operation.details", { ...usage, "gen_ai.operation.name": operation }),
    ]);
  const counted = sentTrace([
    { name: "chat", attributes: { "gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 7 } },
  ]);

  expect(mergeTrace(null, details("invoke_agent")).spans).toMatchObject([{ token_usage: null }]);
  expect(
    foldPieces([
      { kind: "trace", trace: counted },
      { kind: "telemetry", trace: details("chat") },
    ]).spans,
  ).toMatchObject([{ token_usage: { prompt_tokens: 7 } }]);
});

test("instructions without messages are kept with the event", () => {
  const { spans = [] } = tracesOfRecords([
    record("gen_ai.client.inference.operation.details", { "gen_ai.system_instructions": "Be short." }),
  ]);

  expect(spans[0]?.metadata?.["otel.logs"]).toMatchObject([
    { attributes: { "gen_ai.system_instructions": "Be short." } },
  ]);
});

test("events follow nanoseconds, then the time of their observation, then their position, however they arrive", () => {
  const message = (content: string, nanos: readonly [number, number]) =>
    record("gen_ai.user.message", { content }, nanos);
  const positioned = [message("b", [500, 900]), message("a", [500, 900])];
  const requests = [[message("last", [501, 501])], [message("z", [500, 800])], positioned, [message("x", [499, 999])]];
  const texts = ["x", "z", "b", "a", "last"];

  for (const order of [requests, requests.toReversed(), [[...positioned, ...requests.flat()], ...requests]]) {
    const [first, ...others] = order.map(tracesOfRecords);
    if (first === undefined) throw new Error("There is a request.");

    const { spans } = foldPieces([
      { kind: "trace", trace: first },
      ...others.map((trace) => ({ kind: "telemetry", trace }) as const),
    ]);

    expect(spans).toMatchObject([{ input: texts.map((content) => ({ role: "user", content })) }]);
  }
});
