import { describe, expect, test } from "vitest";
import { foldPieces, type TracePiece } from "../../../../lib/domain/traces/piece.ts";
import { toolCalls } from "../../../../lib/metrics/trace/tool-calls.ts";
import { renderTranscript } from "../../../../lib/judge/transcript/transcript.ts";
import { recordedEvents, recordedRequest, traceIn } from "../../../support/otlp/otlp-fixtures.ts";
import { sentTrace, spanOfKind } from "../../../support/otlp/sent-trace.ts";

const file = (name: string): string => `frameworks/claude-sdk.${name}.pb.gz`;
const spans = traceIn(recordedRequest(file("00256._v1_traces")));
const [prompt, answers] = ["00255._v1_logs", "00257._v1_logs"].map((name) => recordedEvents(file(name)));
const pieces = [prompt?.trace, spans, answers?.trace].filter((trace) => trace !== undefined);
const question = "Do I need an umbrella in Paris?";
const answer = "It is 18 degrees and sunny in Paris, so no umbrella is needed.";

const fold = ([first, ...later]: typeof pieces) =>
  foldPieces([
    { kind: "trace", trace: first ?? spans },
    ...later.map((trace): TracePiece => ({ kind: "telemetry", trace })),
  ]);

describe.each([
  ["around its spans", pieces],
  ["before its spans", pieces.toSorted((a, b) => (a === spans ? 1 : b === spans ? -1 : 0))],
  ["after its spans, twice", [spans, ...pieces, ...pieces.toReversed()]],
])("a run of Claude's Agent SDK whose events arrive %s", (_, delivered) => {
  const trace = fold(delivered);
  const byKind = (kind: string) => trace.spans.filter((span) => span.kind === kind);

  test("has the question and the answer", () => {
    expect(trace).toMatchObject({
      status: "COMPLETED",
      input: question,
      output: answer,
      session_id: "17901c6d-4542-4a64-91fa-bbed817e2431",
    });
    expect(renderTranscript(trace, 100_000).text).not.toMatch(/metadata|_tokens/u);
  });

  test("has one tool call, with its arguments and its result", () => {
    expect(toolCalls(trace)).toMatchObject([
      { name: "get_weather", parameters: { city: "Paris" }, result: "18 C sunny", error: null },
    ]);
  });

  test("has two model calls with tokens, time to first token and the reported cost", () => {
    const usage = { prompt_tokens: 130, completion_tokens: 40, cache_read_tokens: 64, cache_write_tokens: 10 };

    const call = { model: "claude-sonnet-5", token_usage: usage, cost: { total: 0.0005497999999999999 } };
    expect(byKind("LLM")).toMatchObject([call, call]);
    expect(byKind("LLM").map(({ completion_start_time }) => completion_start_time)).toEqual([
      "2026-11-23T19:00:49.482000+00:00",
      "2026-11-23T19:00:50.468000+00:00",
    ]);
  });

  test("has the events as notes of the spans that they name", () => {
    const notes = trace.spans.flatMap(({ name, metadata }) => {
      const events = metadata["otel.logs"];
      return Array.isArray(events) ? [[name, events.map((event: { name: string }) => event.name)]] : [];
    });

    expect(Object.fromEntries(notes)).toEqual({
      "claude_code.interaction": [
        "claude_code.user_prompt",
        "claude_code.api_request",
        "claude_code.assistant_response",
        "claude_code.tool_result",
        "claude_code.api_request",
        "claude_code.assistant_response",
      ],
      "claude_code.tool.blocked_on_user": ["claude_code.tool_decision"],
    });
  });
});

describe("a call in parts", () => {
  const tool = {
    name: "claude_code.tool",
    attributes: { "span.type": "tool", "gen_ai.tool.name": "get_weather", tool_use_id: "c1" },
  };
  const execution = {
    name: "claude_code.tool.execution",
    in: 0,
    status: "ERROR",
    attributes: { "span.type": "tool.execution", tool_use_id: "c1", error: "upstream 503" },
  } as const;
  const wait = {
    name: "claude_code.tool.blocked_on_user",
    in: 0,
    attributes: { "span.type": "tool.blocked_on_user", tool_use_id: "c1", decision: "accept" },
  };

  test("of a tool has the error of its execution, and no decision of the user as output", () => {
    const failed = sentTrace([tool, execution, wait]);

    expect(spanOfKind(failed, "TOOL")).toMatchObject({ status: "ERROR", error: "upstream 503", output: null });
    expect(toolCalls(failed)).toMatchObject([{ name: "get_weather", error: "upstream 503" }]);
  });

  test("is completed by the parts that arrive later", () => {
    const [all, first] = [sentTrace([tool, execution]), sentTrace([tool])];
    const later = { ...all, spans: all.spans.filter(({ kind }) => kind === "OTHER") };
    const { spans: folded } = foldPieces([
      { kind: "trace", trace: first },
      { kind: "telemetry", trace: later },
    ]);

    expect(folded.find(({ kind }) => kind === "TOOL")).toMatchObject({ status: "ERROR", error: "upstream 503" });
  });
});

test("a run has the answer of each of its model calls, also that before a tool", () => {
  const docsFile = (name: string): string => `frameworks/claude-docs.${name}.pb.gz`;
  const { trace: events } = recordedEvents(docsFile("00004._v1_logs"));
  if (events === undefined) throw new Error("The recording has events.");
  const failed = fold([traceIn(recordedRequest(docsFile("00003._v1_traces"))), events]);
  const spansOf = (kind: string) => failed.spans.filter((span) => span.kind === kind);

  expect(spansOf("LLM").map(({ output }) => output)).toEqual(["Let me look.", answer]);
  expect(spansOf("TOOL")).toMatchObject([{ status: "ERROR", error: "upstream 503", input: { city: "Paris" } }]);
});

test("events about the program instead of its calls are rejected", () => {
  expect(answers?.rejections).toHaveLength(3);
});

test("a built-in tool has its command, and content that the settings exclude is no content", () => {
  const trace = sentTrace([
    { name: "claude_code.interaction", attributes: { "span.type": "interaction", user_prompt: "<REDACTED>" } },
    {
      name: "claude_code.tool",
      in: 0,
      attributes: { "span.type": "tool", tool_name: "Bash", full_command: "ls" },
      status: "ERROR",
    },
  ]);

  expect(trace.input).toBeNull();
  expect(spanOfKind(trace, "TOOL")).toMatchObject({ name: "Bash", input: { full_command: "ls" } });
});
