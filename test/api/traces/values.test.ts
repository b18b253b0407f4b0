import { randomBytes } from "node:crypto";
import { describe, expect, inject, test } from "vitest";
import { createTrace, getTrace } from "../../../lib/contract/traces/traces.ts";
import { newProject } from "../../support/service/client.ts";
import { problems } from "../../support/reply-shape.ts";

const project = newProject(inject("service"));
const start = "2026-10-01T10:00:00.000000+00:00";

const storeTrace = async (body: object) => {
  const { trace_id } = await project.answer(createTrace, { body });
  return project.answer(getTrace, { params: { trace_id } });
};

describe("free-form data", () => {
  const texts = [
    "\0",
    "\u0001\u001f\u007f\u0080",
    "\u2028\u2029",
    "\u202eltr\u202c\u2066x\u2069",
    "e\u0301 \u00e9",
    "👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "𐍈𠜎",
    "\ufdd0\uffff\u{10ffff}",
    "a\u0300".repeat(500),
    '"\\/\b\f\n\r\t',
    "\ufeff",
    "",
  ];

  test("returns every text unchanged, as a value, a key, a name and a tag", async () => {
    const asKeys = Object.fromEntries(texts.map((text, index) => [text, index]));
    const tags = texts.filter((text) => text.length <= 255);
    const trace = await storeTrace({
      name: texts.join("").slice(0, 512),
      started_at: start,
      input: texts,
      metadata: asKeys,
      user_id: texts[5],
      session_id: texts[0],
      tags,
    });

    expect(trace).toMatchObject({
      input: texts,
      user_id: texts[5],
      session_id: texts[0],
      name: texts.join("").slice(0, 512),
    });
    expect(trace.metadata).toEqual(asKeys);
    expect(new Set(trace.tags)).toEqual(new Set(tags));
  });

  const raw = [
    "9007199254740993",
    "-9007199254740993",
    "1e-400",
    "1.0",
    "-0.0",
    "-0",
    "1e2",
    '{"a":[0.10,1E5,12.50]}',
    "0.1000000000000000055511151231257827",
    "123456789012345678901234567890.5",
    "[1.7976931348623157e+308]",
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    '{"__proto__":null}',
    '{"a":[{"__proto__":"x","b":18446744073709551617}]}',
    '{"toString":1,"hasOwnProperty":2,"__defineGetter__":3,"valueOf":4,"":5,"then":6,"toJSON":7,"rawJSON":"8","length":-1}',
    "false",
    "0",
    '""',
    "[]",
    "{}",
    "[[[null]]]",
  ];

  test.each(raw)("is returned as it was written: %s", async (text) => {
    const bytes = `{"name":"x","started_at":"${start}","input":${text},"metadata":{"v":${text}},"spans":[{"name":"y","started_at":"${start}","output":${text}}]}`;
    const { trace_id } = await project.answer(createTrace, { bytes });

    const reply = await project.call(getTrace, { params: { trace_id } });

    expect(reply.text).toContain(`"input":${text},`);
    expect(reply.text).toContain(`"metadata":{"v":${text}}`);
    expect(reply.text).toContain(`"output":${text},`);
  });

  test("keeps keys such as __proto__ that are written with escapes", async () => {
    const bytes = `{"name":"x","started_at":"${start}","metadata":{"\\u005f_proto__":1,"\\u0063onstructor":2}}`;
    const { trace_id } = await project.answer(createTrace, { bytes });

    const reply = await project.call(getTrace, { params: { trace_id } });

    expect(reply.text).toContain('"metadata":{"__proto__":1,"constructor":2}');
  });

  test("of some megabytes that do not compress is returned byte for byte", async () => {
    const [input, output] = [randomBytes(1_500_000).toString("base64"), randomBytes(600_000).toString("base64")];
    const nested = { parts: Array.from({ length: 20 }, () => randomBytes(15_000).toString("base64")) };
    const trace = await storeTrace({
      name: "large",
      started_at: start,
      input,
      spans: [{ name: "y", started_at: start, output, metadata: nested }],
    });

    expect(trace.input === input).toBe(true);
    expect(trace.spans[0]?.output === output).toBe(true);
    expect(trace.spans[0]?.metadata).toEqual(nested);
  });

  test.each([350_000, 399_000, 400_000, 409_600, 1_000_000])(
    "of %i incompressible characters is kept",
    async (length) => {
      const input = randomBytes(length).toString("base64").slice(0, length);

      const trace = await storeTrace({ name: "x", started_at: start, input });

      expect(trace.input === input).toBe(true);
    },
  );
});

describe("timestamps", () => {
  test.each([
    ["2026-03-01", "2026-03-01T00:00:00.000000+00:00"],
    ["2026-03-01T10:00", "2026-03-01T10:00:00.000000+00:00"],
    ["2026-03-01T10:00:00", "2026-03-01T10:00:00.000000+00:00"],
    ["2026-03-01T10:00:00Z", "2026-03-01T10:00:00.000000+00:00"],
    ["2026-03-01T10:00Z", "2026-03-01T10:00:00.000000+00:00"],
    ["2026-03-01T10:00:00+02", "2026-03-01T08:00:00.000000+00:00"],
    ["2026-03-01T10:00:00+0530", "2026-03-01T04:30:00.000000+00:00"],
    ["2026-03-01T10:00:00-03:30", "2026-03-01T13:30:00.000000+00:00"],
    ["2026-03-01T00:00:00+14:00", "2026-02-28T10:00:00.000000+00:00"],
    ["2026-03-01T10:00:00.5Z", "2026-03-01T10:00:00.500000+00:00"],
    ["2026-03-01T10:00:00.000000", "2026-03-01T10:00:00.000000+00:00"],
    ["2026-03-01T10:00:00.123456789Z", "2026-03-01T10:00:00.123456+00:00"],
    ["2024-02-29T23:59:59Z", "2024-02-29T23:59:59.000000+00:00"],
    ["0001-01-01", "0001-01-01T00:00:00.000000+00:00"],
    ["9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999+00:00"],
  ])("%s is returned as %s", async (instant, normalized) => {
    const trace = await storeTrace({
      name: "x",
      // Only a trace's start has a minimum, the year 2000; a span's times may be any.
      started_at: start,
      ended_at: instant,
      spans: [{ name: "y", started_at: instant }],
    });

    expect([trace.ended_at, trace.spans[0]?.started_at]).toEqual([normalized, normalized]);
  });

  test.each([
    "2026-02-30",
    "2025-02-29",
    "1900-02-29",
    "2026-13-01",
    "2026-00-10",
    "2026-04-31T10:00:00Z",
    "2026",
    "2026-03",
    "20260301T100000Z",
    "1",
    "1767225600",
    1_767_225_600,
    1_767_225_600_000,
    "2026-03-01T24:00:00Z",
    "2026-03-01T10:60:00Z",
    "2026-03-01T10:00:60Z",
    "2026-03-01t10:00:00z",
    "2026-03-01 10:00:00",
    "2026-03-01T10:00:00,5Z",
    "2026-03-01T10:00:00.Z",
    "2026-03-01T10",
    "2026-03-01T",
    "2026-03-01T1:00:00Z",
    "2026-03-01T10:00:00+25:00",
    "2026-03-01T10:00:00+02:60",
    "2026-03-01T10:00:00 02:00",
    "2026-03-01T10:00:00Z[UTC]",
    "2026-W10-1",
    "2026-060",
    "0000-01-01",
    "0001-01-01T00:00:00+01:00",
    "9999-12-31T23:59:59-01:00",
    "+275760-09-13T00:00:00Z",
    "-000001-01-01",
    "２０２６-03-01",
    " 2026-03-01",
    "2026-03-01\n",
    "Sun, 01 Mar 2026 10:00:00 GMT",
    "now",
    "",
    null,
    true,
    {},
    ["2026-03-01"],
  ])("%j is refused", async (instant) => {
    const reply = await project.call(createTrace, {
      body: {
        name: "x",
        started_at: instant,
        ended_at: instant ?? "",
        spans: [{ name: "y", started_at: start, ended_at: instant ?? "" }],
      },
    });

    expect(reply.status).toBe(422);
    expect(problems(reply)).toEqual(
      ["body.started_at", "body.ended_at", "body.spans.0.ended_at"].toSorted(inOrderOf(problems(reply))),
    );
  });
});

/** Validation errors sorted by field, as their order is unspecified. */
const inOrderOf =
  (order: readonly string[]) =>
  (a: string, b: string): number =>
    order.indexOf(a) - order.indexOf(b);
