import { expect, inject, test } from "vitest";
import { getTrace } from "../../../lib/contract/traces/traces.ts";
import { traceUuid } from "../../../lib/otlp/wire/span-ids.ts";
import { newProject } from "../../support/service/client.ts";
import { hexId, jsonSpan, otlpTypes, sendExport } from "../../support/otlp/otlp.ts";

const service = inject("service");
const project = newProject(service);

const nested = (depth: number, open: string, close: string): string =>
  `${open.repeat(depth)}{"stringValue":"x"}${close.repeat(depth)}`;
const attribute = (value: string): string => `"attributes":[{"key":"a","value":${value}}]`;

/** Sends a good span and, in another trace, one with JSON text as its fields. Returns the reply and both traces. */
const sendBeside = async (fields: string, bytes: (text: string) => string | Uint8Array = (text) => text) => {
  const [good, other] = [hexId(16), hexId(16)];
  const span = `${JSON.stringify(jsonSpan(other, hexId(8), { attributes: undefined })).slice(0, -1)},${fields}}`;
  const text = `{"resourceSpans":[{"scopeSpans":[{"spans":[${span},${JSON.stringify(jsonSpan(good, hexId(8)))}]}]}]}`;
  const reply = await sendExport(service, project.headers, bytes(text), { "Content-Type": otlpTypes.json });
  const read = async (id: string) => (await project.call(getTrace, { params: { trace_id: traceUuid(id) } })).body;
  return {
    reply,
    answer: JSON.parse(reply.bytes.toString()) as unknown,
    good: await read(good),
    other: await read(other),
  };
};

test.each<[name: string, fields: string, span: object]>([
  ["half an emoji", String.raw`"name":"cut \ud83d"`, { name: "cut \ufffd" }],
  [
    "half an emoji in a key",
    String.raw`"attributes":[{"key":"\ud83d","value":{"stringValue":"\udc00"}}]`,
    { metadata: { "\ufffd": "\ufffd" } },
  ],
  ["a number that is none", attribute('{"doubleValue":NaN}'), { metadata: { a: "NaN" } }],
  ["a number beyond a double", attribute('{"doubleValue":1e999}'), { metadata: { a: "1e999" } }],
  ["an integer beyond 64 bits", attribute(`{"intValue":"${"9".repeat(30)}"}`), { metadata: { a: "9".repeat(30) } }],
])("%s is repaired", async (_name, fields, span) => {
  const { answer, good, other } = await sendBeside(fields);

  expect(answer).toEqual({});
  expect(good).toMatchObject({ status: "COMPLETED" });
  expect(other).toMatchObject({ spans: [span] });
});

test.each([
  ["lists", 150, '{"arrayValue":{"values":[', "]}}"],
  ["maps", 150, '{"kvlistValue":{"values":[{"key":"k","value":', "}]}}"],
])("of %s nested %i times the inner ones become their JSON", async (_name, depth, open, close) => {
  const { answer, good, other } = await sendBeside(attribute(nested(depth, open, close)));

  expect(answer).toEqual({});
  expect(good).toMatchObject({ status: "COMPLETED" });
  expect(JSON.stringify(other).replaceAll(/\\+/gu, "")).toContain(`"x"`);
});

test("lists nested a hundred thousand times are named, and the spans are stored", async () => {
  const { answer, good, other } = await sendBeside(
    attribute(`{"arrayValue":{"values":${"[".repeat(100_000)}${"]".repeat(100_000)}}}`),
  );

  expect(answer).toEqual({
    partialSuccess: { rejectedSpans: "0", errorMessage: "Not read, as of another type: values." },
  });
  expect([good, other]).toMatchObject([{ status: "COMPLETED" }, { status: "COMPLETED" }]);
});

test.each<[name: string, fields: string, message: string]>([
  ["a bad trace id", '"traceId":"zz"', "A trace id is not 16 bytes, or is all zero."],
  [
    "a time in words",
    '"startTimeUnixNano":"noon"',
    "A span has no start time. Not read, as of another type: startTimeUnixNano.",
  ],
])("a span with %s is rejected alone", async (_name, fields, errorMessage) => {
  const { answer, good } = await sendBeside(fields);

  expect(answer).toEqual({ partialSuccess: { rejectedSpans: "1", errorMessage } });
  expect(good).toMatchObject({ status: "COMPLETED" });
});

test("bytes that are not UTF-8 are replaced", async () => {
  const { answer, other } = await sendBeside('"name":"a~"', (text) =>
    Buffer.from(Buffer.from(text).toString("latin1").replace("a~", "a\xed\xa0\xbd"), "latin1"),
  );

  expect(answer).toEqual({});
  expect(other).toMatchObject({ spans: [{ name: expect.stringMatching(/^a\ufffd+$/u) as string }] });
});
