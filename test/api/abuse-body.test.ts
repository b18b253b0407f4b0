import { gzipSync } from "node:zlib";
import { describe, expect, inject, test } from "vitest";
import { createTraceRun, listTraceRuns } from "../../lib/contract/runs/trace-runs.ts";
import { createTrace, getTrace, listTraces } from "../../lib/contract/traces/traces.ts";
import { newProject } from "../support/service/client.ts";
import { expectStatus, problems } from "../support/reply-shape.ts";

const service = inject("service");
/** Project that receives only requests that must be refused: at the end it must have no traces. */
const victim = newProject(service);
/** Project that receives unusual requests that are allowed. */
const project = newProject(service);
const start = "2026-10-01T10:00:00.000000+00:00";

/** Trace bodies that are valid except for the value put in one place, by the name of that place. */
const places: Readonly<Record<string, (value: string) => string>> = {
  "in the input": (value) => `{"name":"x","started_at":"${start}","input":${value}}`,
  "in the metadata": (value) => `{"name":"x","started_at":"${start}","metadata":{"a":[${value}]}}`,
  "in a span's output": (value) =>
    `{"name":"x","started_at":"${start}","spans":[{"name":"y","started_at":"${start}","output":${value}}]}`,
  "in a span's token usage": (value) =>
    `{"name":"x","started_at":"${start}","spans":[{"name":"y","started_at":"${start}","token_usage":{"o":${value}}}]}`,
  "in a field that nobody knows": (value) => `{"name":"x","started_at":"${start}","foo":${value}}`,
};

const inEveryPlace = (values: readonly string[]): (readonly [value: string, place: string, bytes: string])[] =>
  values.flatMap((value) => Object.entries(places).map(([place, put]) => [value, place, put(value)] as const));

const expectRefusal = async (bytes: string | Uint8Array) => {
  const reply = await victim.call(createTrace, { bytes });
  expectStatus(reply, 422);
  return reply;
};

describe("values that a reply could not return unchanged", () => {
  test.each(inEveryPlace(["1e400", "-1e400", "1E+309", "[[2e308]]", `1${"0".repeat(400)}`]))(
    "%s %s",
    async (_value, _place, bytes) => {
      const reply = await expectRefusal(bytes);

      expect(reply.body).toMatchObject({ detail: [{ type: "json_not_finite" }] });
    },
  );

  test.each(
    inEveryPlace([
      String.raw`"\ud800"`,
      String.raw`"a\udc00b"`,
      String.raw`"\ude00\ud83d"`,
      String.raw`{"\ud800":1}`,
      String.raw`[{"a":{"\udfff":null}}]`,
    ]),
  )("%s %s of a trace is replaced", async (_value, place, bytes) => {
    const { trace_id } = await project.answer(createTrace, { bytes });
    const { text } = await project.call(getTrace, { params: { trace_id } });

    expect(text.includes("\ufffd")).toBe(place !== "in a field that nobody knows");
    expect(text).not.toMatch(/\\ud[89a-f]/u);
  });

  test.each(["name", "session_id", "environment"])("an unpaired surrogate as %s is replaced", async (field) => {
    const { trace_id } = await project.answer(createTrace, {
      body: { name: "x", started_at: start, [field]: "a\ud800" },
    });

    expect(await project.answer(getTrace, { params: { trace_id } })).toMatchObject({ [field]: "a\ufffd" });
  });

  test.each([String.raw`{"name":"\ud800"}`, String.raw`{"name":"x","\ud800":1}`])(
    "half a character in settings: %s",
    async (bytes) => {
      const reply = await victim.call(createTraceRun, { bytes });

      expect(reply).toMatchObject({ status: 422, body: { detail: [{ type: "string_unicode" }] } });
    },
  );

  test.each([
    ["an invalid byte", [0xff]],
    ["an overlong NUL", [0xc0, 0x80]],
    ["an encoded surrogate", [0xed, 0xa0, 0x80]],
    ["a character that is cut off", [0xf0, 0x9f, 0x98]],
    ["a code point beyond Unicode", [0xf4, 0x90, 0x80, 0x80]],
  ])("%s in UTF-8 is replaced in a trace, and refused in settings", async (_name, wrong) => {
    const [before = "", after = ""] = (places["in the input"]?.('"~"') ?? "").split("~");
    const bytes = Buffer.concat([Buffer.from(before), Buffer.from(wrong), Buffer.from(after)]);

    const { trace_id } = await project.answer(createTrace, { bytes });
    const refused = await victim.call(createTraceRun, { bytes });

    expect((await project.answer(getTrace, { params: { trace_id } })).input).toMatch(/^\ufffd+$/u);
    expect(refused).toMatchObject({ status: 422, body: { detail: [{ type: "json_invalid" }] } });
  });
});

describe("bodies that are not JSON", () => {
  test.each(
    inEveryPlace([
      "NaN",
      "Infinity",
      "-Infinity",
      "undefined",
      "0x10",
      "+1",
      "01",
      ".5",
      "1.",
      "1_0",
      "'x'",
      "tru",
      "[1,]",
      "{a:1}",
      '"\t"',
      String.raw`"\x41"`,
      "//",
    ]),
  )("%s %s", async (_value, _place, bytes) => {
    const reply = await expectRefusal(bytes);

    expect(reply.body).toMatchObject({ detail: [{ loc: ["body", expect.any(Number)], type: "json_invalid" }] });
  });

  test.each([
    ["a byte order mark", `\ufeff${places["in the input"]?.("1")}`],
    ["a document in UTF-16", Buffer.from(places["in the input"]?.("1") ?? "", "utf16le")],
    ["two documents", `${places["in the input"]?.("1")}{}`],
    ["a form", "name=x&started_at=2026-10-01"],
    ["a NUL", "\0"],
    ["markup", "<trace/>"],
  ])("%s", async (_name, bytes) => {
    const reply = await expectRefusal(bytes);

    expect(reply.body).toMatchObject({ detail: [{ type: "json_invalid" }] });
  });
});

describe("nesting", () => {
  const lists = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  const objects = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

  test.each([32, 33, 100])("of %i levels is stored unchanged", async (depth) => {
    const bytes = `{"name":"x","started_at":"${start}","input":${lists(depth)},"output":${objects(depth)},"metadata":${objects(depth)}}`;
    const { trace_id } = await project.answer(createTrace, { bytes });

    const reply = await project.call(getTrace, { params: { trace_id } });

    expect(reply.text).toContain(`"input":${lists(depth)},"output":${objects(depth)},"metadata":${objects(depth)}`);
  });

  test("of 101 levels is refused in each field", async () => {
    const bytes = `{"name":"x","started_at":"${start}","input":${lists(101)},"output":${objects(101)},"metadata":${objects(101)},"spans":[{"name":"y","started_at":"${start}","input":${lists(101)}}]}`;

    expect(problems(await expectRefusal(bytes))).toEqual([
      "body.input",
      "body.output",
      "body.metadata",
      "body.spans.0.input",
    ]);
  });

  test.each([1_000, 100_000, 1_000_000])("of %i levels is refused at once", async (depth) => {
    const before = performance.now();
    for (const value of [lists(depth), "[".repeat(depth), '{"a":'.repeat(Math.min(depth, 800_000))]) {
      await expectRefusal(`{"name":"x","started_at":"${start}","input":${value}}`);
      await expectRefusal(value);
    }

    expect(performance.now() - before).toBeLessThan(6 * 2_500);
  });
});

describe("values of the wrong type", () => {
  const texts = [5, true, {}, ["x"]];
  const wrong: Readonly<Record<string, readonly unknown[]>> = {
    trace_id: [5, "", "x", {}],
    name: [...texts, null],
    status: [...texts, "", "COMPLETED ", "completed", "ОK"],
    metadata: [5, "x", "{}", [], true],
    session_id: texts,
    user_id: texts,
    environment: texts,
    release: texts,
    tags: ["a", "[]", {}, 5, [1], [null], [["a"]]],
    spans: ["[]", {}, 5, [null], ["x"]],
  };
  const spanWrong: Readonly<Record<string, readonly unknown[]>> = {
    span_id: [5, "x", []],
    parent_span_id: [5, "x", {}],
    name: [...texts, null, ""],
    kind: [...texts, "llm"],
    status: [...texts, "ok"],
    model: texts,
    metadata: [5, "{}", [], null],
    token_usage: ["x", [], 5, { prompt_tokens: "1" }, { completion_tokens: -1 }, { prompt_tokens: true }],
    cost: ["x", [], 5, { total: "0.5" }, { total: -1 }, { total: {} }],
    model_parameters: ["x", [], 5],
    error: texts,
  };

  const cases = (fields: typeof wrong) =>
    Object.entries(fields).flatMap(([field, values]) => values.map((value) => [field, value] as const));

  test.each(cases(wrong))("the %s %j of a trace", async (field, value) => {
    const reply = await expectRefusal(JSON.stringify({ name: "x", started_at: start, [field]: value }));

    expect(problems(reply).every((problem) => problem.startsWith(`body.${field}`))).toBe(true);
  });

  test.each(cases(spanWrong))("the %s %j of a span", async (field, value) => {
    const reply = await expectRefusal(
      JSON.stringify({ name: "x", started_at: start, spans: [{ name: "y", started_at: start, [field]: value }] }),
    );

    expect(problems(reply).every((problem) => problem.startsWith(`body.spans.0.${field}`))).toBe(true);
  });
});

test.each([
  [{ filters: [] }, ["body", "filters"]],
  [{ filters: { metadata: ["gold"] } }, ["body", "filters", "metadata"]],
])("a list where an object is expected is refused at any depth: %j", async (body, loc) => {
  const { status, text } = await victim.call(createTraceRun, { body: { metrics: ["task_completion"], ...body } });

  expect([status, JSON.parse(text).detail]).toEqual([
    422,
    [expect.objectContaining({ loc, msg: "Input should be a valid dictionary", type: "dict_type" })],
  ]);
});

describe("unusual bodies that are allowed", () => {
  test("of a repeated key the last value counts", async () => {
    const bytes = `{"name":"first","name":"last","started_at":"${start}","metadata":{"a":1,"a":2},"__proto__":{"status":"ERROR"},"constructor":1}`;
    const { trace_id } = await project.answer(createTrace, { bytes });

    const storedTrace = await project.answer(getTrace, { params: { trace_id } });

    expect(storedTrace).toMatchObject({ name: "last", status: "COMPLETED", metadata: { a: 2 } });
  });

  test("a field cannot be set through a prototype", async () => {
    const bytes = `{"__proto__":{"name":"x","started_at":"${start}"},"constructor":{"prototype":{"name":"x"}}}`;

    expect(problems(await expectRefusal(bytes))).toEqual(["body.name", "body.started_at"]);
  });

  test("a long key and a key of a thousand objects are kept", async () => {
    const metadata = {
      ["k".repeat(65_536)]: 1,
      many: Array.from({ length: 1_000 }, (_, index) => ({ [index]: index })),
    };
    const { trace_id } = await project.answer(createTrace, { body: { name: "x", started_at: start, metadata } });

    expect((await project.answer(getTrace, { params: { trace_id } })).metadata).toEqual(metadata);
  });

  test.each([
    ["400,000 numbers", "0.1234567", 400_000],
    ["200,000 numbers that a double would change", "0.12345678901234567", 200_000],
  ])("a vector of %s is stored", async (_name, number, count) => {
    const bytes = `{"name":"x","started_at":"${start}","input":[${`${number},`.repeat(count - 1)}${number}]}`;

    expect(await project.call(createTrace, { bytes })).toMatchObject({ status: 202 });
  });

  test("a compressed body is read", async () => {
    const bytes = gzipSync(JSON.stringify({ name: "zipped", started_at: start }));
    const { trace_id } = await project.answer(createTrace, { bytes, headers: { "Content-Encoding": "gzip" } });

    expect((await project.answer(getTrace, { params: { trace_id } })).name).toBe("zipped");
  });
});

describe("compressed bodies", () => {
  const good = JSON.stringify({ name: "x", started_at: start });

  test.each([
    [
      "that are larger than 4 MiB once they are read",
      gzipSync(JSON.stringify({ name: "x", started_at: start, input: "a".repeat(4_300_000) })),
      "gzip",
      413,
    ],
    ["that inflate to 200 MB", gzipSync(Buffer.alloc(200_000_000)), "gzip", 413],
    ["that are not compressed", good, "gzip", 415],
    ["that are cut off", gzipSync(good).subarray(0, 20), "gzip", 415],
    ["in an encoding that is not supported", good, "br", 415],
    ["in two encodings", gzipSync(gzipSync(good)), "gzip, gzip", 415],
  ])("%s are refused", async (_name, bytes, encoding, status) => {
    const reply = await victim.call(createTrace, { bytes, headers: { "Content-Encoding": encoding } });

    expect(reply.status).toBe(status);
  });
});

describe("runs", () => {
  test.each([
    '{"metrics":["task_completion"],"sampling_rate":1e400}',
    '{"metrics":["task_completion"],"sampling_rate":NaN}',
    String.raw`{"metrics":["\ud800"]}`,
    String.raw`{"metrics":["task_completion"],"name":"\ud800"}`,
    String.raw`{"metrics":["task_completion"],"filters":{"tags":["\udfff"]}}`,
    `{"metrics":${"[".repeat(1_000)}${"]".repeat(1_000)}}`,
    '{"metrics":{"0":"task_completion","length":1}}',
    '{"__proto__":{"metrics":["task_completion"]}}',
    '{"metrics":["__proto__","constructor","toString"]}',
    '{"metrics":["task_completion"],"filters":{"constructor":1}}',
    '{"metrics":["task_completion"],"filters":{"__proto__":{"name":"x"}}}',
    '{"metrics":["task_completion"],"filters":"{}"}',
    '{"metrics":["task_completion"],"filters":[{"name":"x"}]}',
  ])("with %s are refused", async (bytes) => {
    const reply = await victim.call(createTraceRun, { bytes });

    expect(reply.status).toBe(422);
  });
});

test("refused requests leave nothing behind", async () => {
  const [traces, runs] = [await victim.answer(listTraces), await victim.answer(listTraceRuns)];

  expect([traces.items, traces.total, runs.items, runs.total]).toEqual([[], 0, [], 0]);
});
