import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { getSession, listSessions } from "../../../lib/contract/sessions/sessions.ts";
import { createTrace, getTrace, listUsers } from "../../../lib/contract/traces/traces.ts";
import { inTurn } from "../../support/in-turn.ts";
import { newProject } from "../../support/service/client.ts";
import { expectStatus, problems } from "../../support/reply-shape.ts";

const project = newProject(inject("service"));
const otherProject = newProject(inject("service"));

const at = (minute: number): string => `2026-10-01T10:${String(minute).padStart(2, "0")}:00.000000+00:00`;

const span = (tokens: number, total: number) => ({
  name: "chat",
  kind: "LLM",
  started_at: at(0),
  token_usage: { prompt_tokens: tokens, completion_tokens: 1 },
  cost: { total },
});

/** Two sessions, and one of another project. The second trace of the chat arrives first. */
const trace = (minute: number, fields: object) => ({
  trace_id: randomUUID(),
  name: `chat ${minute}`,
  started_at: at(minute),
  session_id: "chat 1/ü",
  ...fields,
});
const chat = [
  trace(5, { ended_at: at(6), user_id: "ann", tags: ["b"], spans: [span(10, 0.1)] }),
  trace(1, { ended_at: at(3), tags: ["a", "b"], status: "ERROR", spans: [span(20, 0.2), span(1, 0)] }),
  trace(9, { user_id: "bob" }),
] as const;
const [second, first, third] = chat;
const mail = { trace_id: randomUUID(), name: "mail", started_at: at(30), session_id: "mail-2", user_id: "ann" };

const chatSummary = {
  session_id: "chat 1/ü",
  trace_count: 3,
  first_trace_at: at(1),
  last_trace_at: at(6),
  total_latency_ms: 180_000,
  has_error: true,
  has_failed_span: true,
  user_id: "ann",
  tags: ["a", "b"],
  total_span_count: 3,
  total_tokens: 34,
  total_cost: 0.3,
  unpriced_tokens: 0,
};

beforeAll(async () => {
  for (const body of [...chat, mail]) await project.answer(createTrace, { body });
  await project.answer(createTrace, { body: { name: "no session", started_at: at(0), user_id: "cat" } });
  await otherProject.answer(createTrace, { body: { ...mail, session_id: "chat 1/ü", user_id: "eve" } });
});

describe("the list of sessions", () => {
  const idsOf = async (query: Readonly<Record<string, string | number | readonly string[]>>) =>
    (await project.answer(listSessions, { query })).items.map(({ session_id }) => session_id);

  test("summarizes every session of the project, the one with the newest arrival first", async () => {
    const { items, total, limit, offset } = await project.answer(listSessions);

    expect([total, limit, offset]).toEqual([2, 50, 0]);
    expect(items.map(({ session_id }) => session_id)).toEqual(["mail-2", "chat 1/ü"]);
    expect(items[1]).toEqual(chatSummary);
    expect(items[0]).toMatchObject({ trace_count: 1, last_trace_at: null, total_latency_ms: null, has_error: false });
  });

  test("is empty in a new project", async () => {
    expect(await newProject(inject("service")).answer(listSessions)).toEqual({
      items: [],
      total: 0,
      limit: 50,
      offset: 0,
      next_cursor: null,
    });
  });

  test.each([
    [{ sort_by: "recent", sort_order: "asc" }, ["chat 1/ü", "mail-2"]],
    [{ sort_by: "trace_count" }, ["chat 1/ü", "mail-2"]],
    [{ sort_by: "trace_count", sort_order: "asc" }, ["mail-2", "chat 1/ü"]],
    [{ sort_by: "latency" }, ["chat 1/ü", "mail-2"]],
    [{ sort_by: "latency", sort_order: "asc" }, ["chat 1/ü", "mail-2"]],
    [{ sort_by: "cost", sort_order: "asc" }, ["mail-2", "chat 1/ü"]],
    [{ limit: 1, offset: 1 }, ["chat 1/ü"]],
    [{ has_error: "true" }, ["chat 1/ü"]],
    [{ has_error: "False" }, ["mail-2"]],
    [{ query: "CHAT 1/Ü" }, ["chat 1/ü"]],
    [{ query: "%" }, []],
    [{ query: "" }, ["mail-2", "chat 1/ü"]],
    [{ user_id: "bob" }, ["chat 1/ü"]],
    [{ tags: ["a", "x"] }, ["chat 1/ü"]],
    [{ started_after: "2026-10-01T10:30Z" }, ["mail-2"]],
    [{ started_before: "2026-10-01T10:01Z" }, []],
  ] as const)("filtered by %j is %j", async (query, expected) => {
    expect(await idsOf(query)).toEqual(expected);
  });

  test("summarizes only the matching traces", async () => {
    const { items } = await project.answer(listSessions, { query: { user_id: "ann", query: "chat" } });

    expect(items).toMatchObject([{ trace_count: 1, has_error: false, total_tokens: 11, tags: ["b"] }]);
  });

  test.each([
    ["sort_by=name", ["sort_by"]],
    ["sort_order=up", ["sort_order"]],
    ["has_error=maybe", ["has_error"]],
    ["has_error=", ["has_error"]],
    ["started_after=yesterday&started_before=2026-02-30", ["started_after", "started_before"]],
    ["limit=201&offset=-1", ["limit", "offset"]],
    ["query=a&query=b&user_id=a&user_id=b", ["query", "user_id"]],
    [`user_id=${"u".repeat(256)}`, ["user_id"]],
  ])("refuses %s", async (query, fields) => {
    const reply = await project.call(listSessions, { query });

    expect(reply.status).toBe(422);
    expect(problems(reply).toSorted()).toEqual(fields.map((field) => `query.${field}`).toSorted());
  });
});

describe("a session", () => {
  const params = { session_id: "chat 1/ü" };

  test("has a summary, and its traces in order in the form of a single trace", async () => {
    const alone = await Promise.all(
      [first, second, third].map(({ trace_id }) => project.answer(getTrace, { params: { trace_id } })),
    );

    const session = await project.answer(getSession, { params });

    expect(session).toEqual({ ...chatSummary, next_cursor: null, traces: alone });
    expect(Object.keys(session).at(-1)).toBe("traces");
  });

  test("is paged, with a summary of all traces on every page", async () => {
    const pages = await inTurn([0, 1, 2, 3], (offset) =>
      project.answer(getSession, { params, query: { limit: 1, offset } }),
    );

    expect(pages.map(({ traces }) => traces.map(({ trace_id }) => trace_id))).toEqual([
      [first.trace_id],
      [second.trace_id],
      [third.trace_id],
      [],
    ]);
    expect(new Set(pages.map(({ trace_count, total_cost }) => `${trace_count} ${total_cost}`))).toEqual(
      new Set(["3 0.3"]),
    );
  });

  test.each(["nobody's", "chat 1/Ü", "chat%201", " "])("named %j is not found", async (session_id) => {
    const reply = await project.call(getSession, { params: { session_id } });

    expectStatus(reply, 404);
    expect(reply.text).toBe(JSON.stringify({ detail: `Session '${session_id}' not found.` }));
  });

  test("refuses invalid paging", async () => {
    const reply = await project.call(getSession, { params, query: "limit=1001&offset=x" });

    expect(reply.status).toBe(422);
    expect(problems(reply)).toEqual(["query.limit", "query.offset"]);
  });

  test("loses a trace that moves to another session", async () => {
    const freshProject = newProject(inject("service"));
    const body = { name: "x", started_at: at(1), trace_id: randomUUID() };
    await freshProject.answer(createTrace, { body: { ...body, session_id: "from" } });
    await freshProject.answer(createTrace, { body: { ...body, session_id: "to" } });

    expectStatus(await freshProject.call(getSession, { params: { session_id: "from" } }), 404);
    expect((await freshProject.answer(getSession, { params: { session_id: "to" } })).traces).toMatchObject([body]);
  });

  test("of far more than 6 MB is returned complete, in order and unchanged", async () => {
    const freshProject = newProject(inject("service"));
    const output = "é\u{1f600}".repeat(100_000);
    const bodies = Array.from({ length: 14 }, (_, index) => ({
      trace_id: randomUUID(),
      name: `${index}`,
      started_at: at(index),
      session_id: "large",
      output: `${index}${output}`,
    }));
    await Promise.all(bodies.map((body) => freshProject.answer(createTrace, { body })));

    const reply = await freshProject.call(getSession, { params: { session_id: "large" } });

    expectStatus(reply, 200);
    expect(Buffer.byteLength(reply.text)).toBeGreaterThan(8_000_000);
    expect(reply.body.traces.map(({ name }) => name)).toEqual(bodies.map(({ name }) => name));
    expect(reply.body.traces.every((trace, index) => trace.output === bodies[index]?.output)).toBe(true);
  });
});

describe("the users", () => {
  test("are listed with their number of traces, the last active first", async () => {
    const { items, total } = await project.answer(listUsers);

    expect(total).toBe(3);
    const nothing = { error_count: 0, total_latency_ms: null, total_tokens: 0, total_cost: 0, unpriced_tokens: 0 };
    const used = { ...nothing, total_latency_ms: 60_000, total_tokens: 11, total_cost: 0.1 };
    expect(items).toEqual([
      { user_id: "ann", trace_count: 2, first_seen: at(5), last_seen: at(30), ...used },
      { user_id: "bob", trace_count: 1, first_seen: at(9), last_seen: at(9), ...nothing },
      { user_id: "cat", trace_count: 1, first_seen: at(0), last_seen: at(0), ...nothing },
    ]);
  });

  test("are paged", async () => {
    const pages = await inTurn([0, 1, 2, 3], (offset) => project.answer(listUsers, { query: { limit: 1, offset } }));

    expect(pages.map(({ items }) => items.map(({ user_id }) => user_id))).toEqual([["ann"], ["bob"], ["cat"], []]);
    expect(pages.map(({ total }) => total)).toEqual([3, 3, 3, 3]);
  });
});
