import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { safeParse } from "valibot";
import { exportTraces } from "../../../lib/contract/otlp/export-traces.ts";
import { decodeMessage, OversizedMessage } from "../../../lib/otlp/wire/decode-message.ts";
import { exportedSpans } from "../../../lib/otlp/traces/exported-spans.ts";
import { exportTraceServiceRequest } from "../../../lib/otlp/wire/protobuf-messages.ts";
import { tracesOf } from "../../../lib/otlp/traces/traces-of.ts";
import { MalformedMessage } from "../../../lib/otlp/wire/wire-reader.ts";
import { recordedBytes } from "../../support/otlp/otlp-fixtures.ts";

const recorded = recordedBytes("opentelemetry-sdk.pb");

/** Number of spans decoded from a request's bytes; null when they are refused. */
const decodedSpans = (bytes: Buffer): number | null => {
  let form: unknown;
  try {
    form = decodeMessage(bytes, exportTraceServiceRequest);
  } catch (error) {
    if (error instanceof MalformedMessage) return null;
    throw error;
  }
  const parsed = safeParse(exportTraces.body, form);
  if (!parsed.success) return null;
  const { spans, rejections: refused } = exportedSpans(parsed.output);
  const { traces, rejections: unstorable } = tracesOf(spans);
  return traces.reduce((sum, { spanCount }) => sum + spanCount, refused.length + unstorable.length);
};

test("a truncated message is refused, unless it was cut between two fields", () => {
  const lengths = Array.from({ length: recorded.length }, (_, length) => length);
  const cut = lengths.filter((length) => decodedSpans(recorded.subarray(0, length)) !== null);

  expect(cut).toEqual([0]);
  expect(decodedSpans(recorded)).toBe(4);
});

test("corrupted bytes are accepted or refused, and cause no fault", () => {
  const flips = fc.array(fc.tuple(fc.nat(recorded.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(flips, (changes) => {
      const bytes = Buffer.from(recorded);
      for (const [at, value] of changes) bytes[at] = value;

      expect(decodedSpans(bytes) ?? 0).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: 2000 },
  );
});

test("arbitrary bytes are accepted or refused, and cause no fault", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(decodedSpans(Buffer.from(bytes)) ?? 0).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: 2000 },
  );
});

test("unknown fields of later versions are skipped", () => {
  const later = Buffer.from([
    0xf8, 0x01, 0x2a, 0xf9, 0x01, 1, 2, 3, 4, 5, 6, 7, 8, 0xfd, 0x01, 1, 2, 3, 4, 0xfa, 0x01, 1, 65,
  ]);

  expect(decodeMessage(later, exportTraceServiceRequest)).toEqual({});
});

test("lengths beyond the end, endless numbers, groups and field 0 are refused", () => {
  const wrong = [
    [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
    [0x0a, 5, 1],
    [0x08, ...Array<number>(10).fill(0x80), 1],
    [0x0b],
    [0x02, 0],
    [0x80],
  ];

  expect(wrong.map((bytes) => decodedSpans(Buffer.from(bytes)))).toEqual(wrong.map(() => null));
});

test("what is nested too deeply is left out and named, and the rest of the message is read", () => {
  let value: Buffer = Buffer.from([0x0a, 1, 65]);
  const wrapped = (field: number, inner: Buffer): Buffer => {
    const length: number[] = [];
    for (let rest = inner.length; ; rest = Math.floor(rest / 128)) {
      length.push(rest < 128 ? rest : (rest % 128) + 128);
      if (rest < 128) break;
    }
    return Buffer.concat([Buffer.from([field * 8 + 2, ...length]), inner]);
  };
  for (let depth = 0; depth < 1_500; depth += 1) value = wrapped(5, wrapped(1, value));

  const flaws = new Set<string>();
  const name = Buffer.from([0x2a, 1, 66]);
  const message = decodeMessage(
    wrapped(1, wrapped(2, wrapped(2, Buffer.concat([wrapped(9, wrapped(2, value)), name])))),
    exportTraceServiceRequest,
    Number.POSITIVE_INFINITY,
    flaws,
  );

  expect(message).toMatchObject({ resourceSpans: [{ scopeSpans: [{ spans: [{ name: "B" }] }] }] });
  expect([...flaws]).toEqual(["What is nested too deeply is not read."]);
});

test("a malformed span is empty, and those beside it are read", () => {
  const flaws = new Set<string>();
  const spans = Buffer.from([0x12, 3, 0x2a, 9, 65, 0x12, 3, 0x2a, 1, 66]);
  const request = Buffer.concat([Buffer.from([0x0a, spans.length + 2, 0x12, spans.length]), spans]);

  expect(decodeMessage(request, exportTraceServiceRequest, 100, flaws)).toEqual({
    resourceSpans: [{ scopeSpans: [{ spans: [{}, { name: "B" }] }] }],
  });
  expect([...flaws]).toEqual(["In an item: The message ends too early."]);
});

test("messages are counted while they are parsed, at any depth", () => {
  const empty = Buffer.alloc(4_000_000, Buffer.from([0x12, 0]));
  const length = [
    0x80 | (empty.length & 0x7f),
    0x80 | ((empty.length >> 7) & 0x7f),
    0x80 | ((empty.length >> 14) & 0x7f),
  ];
  const spans = Buffer.concat([Buffer.from([0x12, ...length, empty.length >> 21]), empty]);
  const total = spans.length;
  const outer = [0x80 | (total & 0x7f), 0x80 | ((total >> 7) & 0x7f), 0x80 | ((total >> 14) & 0x7f), total >> 21];
  const request = Buffer.concat([Buffer.from([0x0a, ...outer]), spans]);

  expect(gzipSync(request).length).toBeLessThan(4_000);
  expect(() => decodeMessage(request, exportTraceServiceRequest, 300_000)).toThrow(OversizedMessage);
  expect(decodeMessage(recorded, exportTraceServiceRequest, 300_000)).toEqual(
    decodeMessage(recorded, exportTraceServiceRequest),
  );
});
