import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "valibot";
import { exportTraces } from "../../../lib/contract/otlp/export-traces.ts";
import { mergeTrace } from "../../../lib/domain/traces/merge.ts";
import { derivationOf } from "../../../lib/domain/traces/derivation/derivation.ts";
import { derivedFields } from "../../../lib/domain/traces/derivation/derived-fields.ts";
import { mergeTelemetry } from "../../../lib/domain/traces/derivation/merge-telemetry.ts";
import { foldPieces, type TracePiece } from "../../../lib/domain/traces/piece.ts";
import type { Trace } from "../../../lib/domain/traces/trace.ts";
import { exportedSpans } from "../../../lib/otlp/traces/exported-spans.ts";
import { tracesOf } from "../../../lib/otlp/traces/traces-of.ts";
import { jsonExport, jsonSpan } from "../../support/otlp/otlp.ts";

const traceId = "5b8efff798038103d269b633813fc60c";
const id = (index: number): string => String(index + 1).padStart(16, "0");

const sentSpan = fc.record({
  parent: fc.option(fc.nat(7)),
  remote: fc.boolean(),
  start: fc.nat(3),
  lasts: fc.option(fc.nat(3)),
  code: fc.nat(2),
  session: fc.option(fc.constantFrom("a", "b")),
  tag: fc.constantFrom("x", "y"),
  plan: fc.option(fc.constantFrom("free", "pro")),
  resource: fc.constantFrom("one", "two"),
  operation: fc.constantFrom("chat", "execute_tool", "invoke_agent"),
  said: fc.option(fc.constantFrom("hello", "bye")),
  set: fc.option(fc.constantFrom("x", "y"), { freq: 1 }),
});

/** An export request with some spans. */
const requests = fc.array(sentSpan, { minLength: 1, maxLength: 8 }).map((spans) =>
  spans.map(
    ({ parent, remote, start, lasts, code, session, tag, plan, resource, operation, said: output, set }, index) => {
      const fields = {
        ...(parent === null ? {} : { parentSpanId: id(parent) }),
        flags: remote ? 0x300 : 0x100,
        startTimeUnixNano: `${1_795_251_600 + start}000000000`,
        endTimeUnixNano: lasts === null ? "0" : `${1_795_251_600 + start + lasts}000000000`,
        status: { code },
      };
      const attributes = {
        "gen_ai.operation.name": operation,
        "tag.tags": JSON.stringify([tag]),
        ...(plan === null ? {} : { metadata: JSON.stringify({ plan }) }),
        ...(session === null ? {} : { "session.id": session }),
        ...(set === null
          ? {}
          : { "langfuse.trace.name": set, "langfuse.trace.input": `${set} in`, "langfuse.trace.output": `${set} out` }),
        ...(output === null ? {} : { "gen_ai.input.messages": output, "gen_ai.output.messages": output }),
      };
      return jsonExport([jsonSpan(traceId, id(index), fields, attributes)], {
        "service.version": resource,
        "deployment.environment.name": `${resource}!`,
      });
    },
  ),
);

const sentTrace = (bodies: readonly ReturnType<typeof jsonExport>[]) => {
  const request = { resourceSpans: bodies.flatMap(({ resourceSpans }) => resourceSpans) };
  const [storedTrace] = tracesOf(exportedSpans(parse(exportTraces.body, request)).spans).traces;
  if (storedTrace === undefined) throw new Error("There is a span in it.");
  return storedTrace.trace;
};

const bySpan = (trace: Trace): Trace => ({
  ...trace,
  spans: trace.spans.toSorted((a, b) => (a.span_id < b.span_id ? -1 : 1)),
});

test("a trace is the same for any order of its spans, sent once or twice, one by one or together", () => {
  fc.assert(
    fc.property(
      requests.chain((exportRequests) =>
        fc.tuple(
          fc.constant(exportRequests),
          fc.shuffledSubarray([...exportRequests, ...exportRequests], { minLength: exportRequests.length * 2 }),
        ),
      ),
      ([exportRequests, delivered]) => {
        const [first, ...laterTraces] = delivered.map((request) => sentTrace([request]));
        if (first === undefined) return;

        const pieces: readonly TracePiece[] = [
          { kind: "trace", trace: first },
          ...laterTraces.map((trace) => ({ kind: "telemetry", trace }) as const),
        ];

        expect(bySpan(foldPieces(pieces))).toEqual(bySpan(mergeTrace(null, sentTrace(exportRequests))));
      },
    ),
  );
});

test("the client's and the server's span of a call may share an id: both are kept, in any order, sent once or twice", () => {
  const [client, server, unfinished] = [
    { kind: 3, name: "call" },
    { kind: 2, name: "serve", parentSpanId: id(7) },
    { kind: 2, name: "serve", parentSpanId: id(7), endTimeUnixNano: "0" },
  ].map((fields) => jsonExport([jsonSpan(traceId, id(0), fields)])) as [
    ReturnType<typeof jsonExport>,
    ReturnType<typeof jsonExport>,
    ReturnType<typeof jsonExport>,
  ];
  const received = (...requests: readonly (readonly ReturnType<typeof jsonExport>[])[]) => {
    const [first, ...laterTraces] = requests.map(sentTrace);
    if (first === undefined) throw new Error("There is a request.");
    return bySpan(laterTraces.reduce(mergeTelemetry, mergeTrace(null, first))).spans;
  };

  const spans = received([client, server]);

  const [call, serve] = ["call", "serve"].map((name) => spans.find((span) => span.name === name));
  expect([spans.length, call?.parent_span_id, serve?.parent_span_id]).toEqual([2, null, call?.span_id]);
  expect(serve?.span_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5/u);
  for (const requests of [
    [[server, client]],
    [[client], [server]],
    [[server], [client]],
    [[server], [client], [server], [client]],
    [[client], [unfinished], [server]],
    [[client], [server], [unfinished]],
  ])
    expect(received(...requests)).toEqual(spans);
});

test("a span sent unfinished and finished is the finished one, in any order, one by one or in one request", () => {
  const [unfinished, finished] = [0, 1].map((code) =>
    jsonExport([
      jsonSpan(
        traceId,
        id(0),
        { endTimeUnixNano: code === 0 ? "0" : "1795251609000000000", status: { code } },
        { "gen_ai.operation.name": "chat", "gen_ai.request.model": `m${code}`, [`only.${code}`]: "kept" },
      ),
    ]),
  ) as [ReturnType<typeof jsonExport>, ReturnType<typeof jsonExport>];
  const inOrder = mergeTelemetry(mergeTrace(null, sentTrace([unfinished])), sentTrace([finished]));

  const reversed = mergeTelemetry(mergeTrace(null, sentTrace([finished])), sentTrace([unfinished]));
  const together = mergeTrace(null, sentTrace([finished, unfinished]));

  expect(inOrder.spans).toMatchObject([
    { status: "OK", model: "m1", metadata: { "only.0": "kept", "only.1": "kept" } },
  ]);
  expect(reversed).toEqual(inOrder);
  expect(together).toEqual(inOrder);
});

test("at every moment a trace follows from the spans received up to then", () => {
  fc.assert(
    fc.property(requests, (exportRequests) => {
      let trace: Trace | null = null;
      for (const request of exportRequests) {
        const update = sentTrace([request]);
        trace = trace === null ? mergeTrace(null, update) : mergeTelemetry(trace, update);

        expect(trace).toMatchObject(derivedFields(trace.spans, trace.metadata) ?? {});
      }
    }),
  );
});

test("metadata set by a client wins over that of the root, whichever comes first", () => {
  const root = jsonExport([
    jsonSpan(traceId, id(0), {}, { metadata: JSON.stringify({ plan: "free", region: "eu", session_id: "s" }) }),
  ]);
  const child = jsonExport([
    jsonSpan(traceId, id(1), { parentSpanId: id(0) }, { metadata: JSON.stringify({ plan: "child" }) }),
  ]);
  const patch = { kind: "trace-patch", update: { metadata: { plan: "pro" } } } as const;
  const telemetryOf = (body: typeof root) => ({ kind: "telemetry", trace: sentTrace([body]) }) as const;
  const first = { kind: "trace", trace: sentTrace([child]) } as const;

  const before = foldPieces([first, patch, telemetryOf(root)]);
  const after = foldPieces([first, telemetryOf(root), patch, telemetryOf(child)]);

  expect(sentTrace([child]).metadata).not.toHaveProperty("plan");
  expect(sentTrace([root]).metadata).toMatchObject({ plan: "free", region: "eu" });
  expect(sentTrace([root]).metadata).not.toHaveProperty("session_id");
  expect(before.metadata).toMatchObject({ plan: "pro", region: "eu" });
  expect(after.metadata).toEqual(before.metadata);
  // Pieces of spans are merged only while all metadata is that of the spans.
  expect([before, mergeTrace(null, sentTrace([root]))].map((trace) => derivationOf(trace)?.isPure)).toEqual([
    false,
    true,
  ]);
});

test("a person's edit stays when later spans arrive", () => {
  const root = jsonExport([jsonSpan(traceId, id(0), { name: "root" })]);
  const child = jsonExport([jsonSpan(traceId, id(1), { parentSpanId: id(0), name: "child" })]);
  const running = mergeTrace(null, sentTrace([child]));
  const renamed = { ...running, name: "renamed", user_id: "u-1" };

  const trace = mergeTelemetry(renamed, sentTrace([root]));

  expect(running).toMatchObject({ name: "child", status: "RUNNING" });
  expect(trace).toMatchObject({ name: "renamed", user_id: "u-1", status: "COMPLETED" });
});
