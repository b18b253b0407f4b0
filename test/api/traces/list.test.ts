import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { createTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { newProject } from "../../support/service/client.ts";
import { eventually } from "../../support/service/local-fixture.ts";
import { problems } from "../../support/reply-shape.ts";

const project = newProject(inject("service"));

interface Sent {
  readonly trace_id: string;
  readonly started_at: string;
}

/** Five days with five traces each, three of which start at the same time. */
const traces: readonly Sent[] = Array.from({ length: 25 }, (_, index) => ({
  trace_id: randomUUID(),
  started_at: `2026-10-0${1 + (index % 5)}T0${Math.max(0, Math.floor(index / 5) - 2)}:00:00.000000+00:00`,
}));

const newestFirst = traces
  .toSorted((a, b) => (a.started_at + a.trace_id < b.started_at + b.trace_id ? 1 : -1))
  .map(({ trace_id }) => trace_id);

describe("the list of traces", () => {
  beforeAll(async () => {
    await Promise.all(traces.map((trace) => project.answer(createTrace, { body: { name: "x", ...trace } })));
  });

  const page = (query: Readonly<Record<string, number>>) => project.answer(listTraces, { query });
  const idsOf = async (query: Readonly<Record<string, number>>) =>
    (await page(query)).items.map(({ trace_id }) => trace_id);

  test("is empty in a new project", async () => {
    const reply = await newProject(inject("service")).answer(listTraces);

    expect(reply).toEqual({ items: [], total: 0, limit: 50, offset: 0, next_cursor: null });
  });

  test("is ordered by start, then id, newest first", async () => {
    expect(await idsOf({})).toEqual(newestFirst);
  });

  test("has every trace once when it is read page by page", async () => {
    const pages = await Promise.all([0, 7, 14, 21, 28].map((offset) => idsOf({ limit: 7, offset })));

    expect(pages.map(({ length }) => length)).toEqual([7, 7, 7, 4, 0]);
    expect(pages.flat()).toEqual(newestFirst);
  });

  test("has the requested page and, within five seconds, the correct total", async () => {
    const firstPage = await eventually(async () => {
      const reply = await page({ limit: 3, offset: 2 });
      return reply.total === traces.length ? reply : undefined;
    });

    expect(firstPage).toMatchObject({ total: 25, limit: 3, offset: 2 });
    expect(firstPage.items.map(({ trace_id }) => trace_id)).toEqual(newestFirst.slice(2, 5));
  });

  test("never has a total that is less than the traces of a page", async () => {
    const freshProject = newProject(inject("service"));
    for (let count = 1; count <= 6; count += 1) {
      await freshProject.answer(createTrace, { body: { name: "x", started_at: "2026-10-01" } });
      const { items, total } = await freshProject.answer(listTraces, { query: { limit: 2, offset: 1 } });
      expect(total).toBeGreaterThanOrEqual(items.length === 0 ? 0 : 1 + items.length);
    }
  });

  test("is empty from an offset beyond the range of numbers, with the correct total", async () => {
    const reply = await project.answer(listTraces, { query: { offset: "9".repeat(40) } });

    expect(reply).toMatchObject({ items: [], total: 25, offset: Number.MAX_SAFE_INTEGER });
  });

  test.each([200, 25, 1_000_000_000_000])("is empty from offset %i on, with the correct total", async (offset) => {
    const reply = await page({ offset });

    expect(reply).toEqual({ items: [], total: 25, limit: 50, offset, next_cursor: null });
  });

  test("summarizes a trace without its input and output", async () => {
    const freshProject = newProject(inject("service"));
    const body = {
      trace_id: randomUUID(),
      name: "sum",
      status: "RUNNING",
      started_at: "2026-10-01T10:00:00.000000+00:00",
      ended_at: "2026-10-01T10:00:01.500000+00:00",
      session_id: "s",
      user_id: "u",
      tags: ["b", "a"],
      environment: "e",
      release: "r",
    };
    const span = {
      name: "y",
      started_at: "2026-10-01",
      token_usage: { prompt_tokens: 3, completion_tokens: 4 },
      cost: { total: 0.5 },
    };
    await freshProject.answer(createTrace, {
      body: { ...body, input: "said", metadata: { m: 1 }, spans: [span, span] },
    });

    const { items } = await freshProject.answer(listTraces);

    expect(items).toEqual([
      {
        ...body,
        tags: ["a", "b"],
        latency_ms: 1500,
        span_count: 2,
        has_failed_span: false,
        total_tokens: 14,
        total_cost: 1,
        unpriced_tokens: 0,
      },
    ]);
  });

  const bad = [
    "0",
    "-1",
    "201",
    "1e2",
    "1.5",
    "abc",
    "",
    "0x10",
    "+1",
    " 1",
    "٣",
    "١",
    "1_0",
    "NaN",
    "null",
    "99999999999999999999",
    "1e400",
  ];

  test.each(bad)("refuses a limit of %j", async (limit) => {
    const reply = await project.call(listTraces, { query: { limit } });

    expect(reply.status).toBe(422);
    expect(problems(reply)).toEqual(["query.limit"]);
  });

  test.each(bad.filter((text) => !["0", "201", "99999999999999999999"].includes(text)))(
    "refuses an offset of %j",
    async (offset) => {
      const reply = await project.call(listTraces, { query: { offset } });

      expect(reply.status).toBe(422);
      expect(problems(reply)).toEqual(["query.offset"]);
    },
  );

  test("refuses a repeated parameter", async () => {
    const reply = await project.call(listTraces, { query: "limit=1&limit=1&offset=0&offset=1" });

    expect(reply.status).toBe(422);
    expect(problems(reply)).toEqual(["query.limit", "query.offset"]);
  });

  test.each([
    ["limit%5B%5D=1", ["limit[]"]],
    ["limit.a=1", ["limit.a"]],
    ["=1", [""]],
    ["unknown=1", ["unknown"]],
    ["__proto__=1&constructor=2", ["__proto__", "constructor"]],
    ["LIMIT=0", ["LIMIT"]],
  ])("refuses the query %s, which has unknown names", async (query, names) => {
    const reply = await project.call(listTraces, { query });

    expect(reply.status).toBe(422);
    expect(problems(reply).toSorted()).toEqual(names.map((name) => `query.${name}`));
  });

  test.each(["", "&&", "=", "?&&="])("ignores the query %j, which has no names", async (query) => {
    const reply = await project.answer(listTraces, { query });

    expect(reply).toMatchObject({ limit: 50, offset: 0 });
  });
});
