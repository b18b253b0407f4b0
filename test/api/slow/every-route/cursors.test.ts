import { randomUUID } from "node:crypto";
import * as v from "valibot";
import { describe, expect, inject, test } from "vitest";
import { listOrganizations } from "../../../../lib/contract/access/organizations.ts";
import { createMonitor, listMonitors } from "../../../../lib/contract/monitors/monitors.ts";
import type { Route } from "../../../../lib/contract/route.ts";
import {
  createTraceRun,
  getTraceRun,
  listTraceRuns,
  listTraceRunScores,
  listTraceRunTargets,
} from "../../../../lib/contract/runs/trace-runs.ts";
import { createTraceScore, listTraceScores } from "../../../../lib/contract/scores/trace-scores.ts";
import { getSession, listSessions } from "../../../../lib/contract/sessions/sessions.ts";
import { createTraces } from "../../../../lib/contract/traces/batch.ts";
import { deleteTrace } from "../../../../lib/contract/traces/deletion.ts";
import { createTrace, listTraces, listUsers } from "../../../../lib/contract/traces/traces.ts";
import { endedRun } from "../../../support/runs/ended-run.ts";
import { problems, type Reply } from "../../../support/reply-shape.ts";
import { type Client, clientWith, newProject } from "../../../support/service/client.ts";

const service = inject("service");

type Query = Readonly<Record<string, string | number>>;

const pageSchema = v.looseObject({
  items: v.optional(v.array(v.looseObject({}))),
  traces: v.optional(v.array(v.looseObject({}))),
  next_cursor: v.nullable(v.string()),
});

/** Every item of a list, page by page; `between` is called after each page. */
const walk = async (
  client: Client,
  route: Route,
  query: Query,
  params: Readonly<Record<string, string>> = {},
  between: (page: number) => Promise<unknown> = async () => undefined,
) => {
  const items: Readonly<Record<string, unknown>>[] = [];
  let cursor: string | null = null;
  let pages = 0;
  do {
    const reply: Reply = await client.call(route, { params, query: { ...query, ...(cursor !== null && { cursor }) } });
    const page: v.InferOutput<typeof pageSchema> = v.parse(pageSchema, reply.body);
    const link = reply.headers["link"];
    expect(
      link === undefined
        ? null
        : new URL(/^<(.*)>; rel="next"$/u.exec(String(link))?.[1] ?? "").searchParams.get("cursor"),
    ).toBe(page.next_cursor);
    items.push(...(page.items ?? page.traces ?? []));
    cursor = page.next_cursor;
    pages += 1;
    await between(pages);
  } while (cursor !== null && pages < 50);
  return items;
};

const traceOf = (index: number, day = 10) => ({
  trace_id: randomUUID(),
  name: `t${index % 3}`,
  started_at: `2026-10-${day}T10:00:${String(index % 60).padStart(2, "0")}Z`,
  ended_at: `2026-10-${day}T10:01:00Z`,
  session_id: `s${index}`,
  user_id: `u${index}`,
});

const store = async (client: Client, traces: readonly ReturnType<typeof traceOf>[]): Promise<void> => {
  const reply = await client.call(createTraces, { body: { traces } });
  expect(reply.status).toBeLessThan(300);
};

const orders: readonly Query[] = [
  {},
  { sort_order: "asc" },
  { sort_by: "name" },
  { sort_by: "latency", sort_order: "asc" },
  { started_after: "2026-10-01" },
];

describe("reading a list by cursors", () => {
  test.each(orders)(
    "of traces ordered by %o has every trace once, while others are added and deleted",
    async (order) => {
      const client = newProject(service);
      const traces = Array.from({ length: 12 }, (_, index) => traceOf(index, 10 + (index % 3)));
      await store(client, traces);

      const items = await walk(client, listTraces, { ...order, limit: 5 }, {}, async (page) => {
        await store(client, [traceOf(30 + page, 20), traceOf(40 + page, 2)]);
        if (page === 1) await client.call(deleteTrace, { params: { trace_id: traces[0]?.trace_id ?? "" } });
      });

      const ids = items.map(({ trace_id }) => trace_id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(traces.slice(1).filter(({ trace_id }) => !ids.includes(trace_id))).toEqual([]);
    },
  );

  test("of sessions, users and the traces of a session is just as stable", async () => {
    const client = newProject(service);
    const traces = Array.from({ length: 7 }, (_, index) => traceOf(index));
    await store(client, traces);
    const addTraces = (page: number) => store(client, [traceOf(30 + page, 20)]);

    const sessions = await walk(client, listSessions, { limit: 3 }, {}, addTraces);
    const users = await walk(client, listUsers, { limit: 3 }, {}, (page) => addTraces(page + 10));
    await store(
      client,
      traces.map((trace) => ({ ...trace, trace_id: randomUUID(), session_id: "one" })),
    );
    const early = (page: number) => store(client, [{ ...traceOf(page, 1), session_id: "one" }]);
    const within = await walk(client, getSession, { limit: 3 }, { session_id: "one" }, early);

    const originalIds = new Set(traces.map(({ session_id }) => session_id));
    expect(sessions.map(({ session_id }) => session_id).filter((id) => originalIds.has(String(id)))).toHaveLength(7);
    expect(users.map(({ user_id }) => user_id).filter((id) => /^u[0-6]$/u.test(String(id)))).toHaveLength(7);
    expect(within).toHaveLength(7);
    expect(new Set(within.map(({ trace_id }) => trace_id)).size).toBe(7);
  });

  test("of scores, runs, their scores and targets, and monitors is just as stable", async () => {
    const client = newProject(service);
    const traces = Array.from({ length: 5 }, (_, index) => traceOf(index));
    await store(client, traces);
    const score = (name: string) =>
      client.answer(createTraceScore, { body: { trace_id: traces[0]?.trace_id ?? "", name, value: "0.5" } });
    for (const name of ["a", "b", "c", "d", "e"]) await score(name);
    const scores = await walk(client, listTraceScores, { limit: 2 }, {}, (page) => score(`later ${page}`));
    const ofTrace = { trace_id: traces[0]?.trace_id ?? "", limit: 3 };
    const scoresOfTrace = await walk(client, listTraceScores, ofTrace, {}, (page) => score(`last ${page}`));

    const run = () => client.answer(createTraceRun, { body: { metrics: ["task_completion"] } });
    const runs = [await run(), await run(), await run()];
    for (const { id } of runs) await endedRun(client, { id });
    const walked = await walk(client, listTraceRuns, { limit: 2 }, {}, run);
    const params = { run_id: runs[0]?.id ?? "" };
    const { total_targets } = await client.answer(getTraceRun, { params });
    const [targets, judged] = [
      await walk(client, listTraceRunTargets, { limit: 2 }, params),
      await walk(client, listTraceRunScores, { limit: 2 }, params),
    ];

    const monitor = (name: string) =>
      client.answer(createMonitor, { body: { name, target_type: "TRACE", metrics: ["confidence"], cadence: "daily" } });
    for (const name of ["a", "b", "c"]) await monitor(name);
    const monitors = await walk(client, listMonitors, { limit: 2 }, {}, (page) => monitor(`later ${page}`));

    expect(scores.map(({ name }) => name)).toEqual(["e", "d", "c", "b", "a"]);
    expect(scoresOfTrace).toHaveLength(8);
    expect(walked.map(({ id }) => id)).toEqual(runs.toReversed().map(({ id }) => id));
    expect([targets.length, judged.length]).toEqual([total_targets, total_targets]);
    expect(monitors.map(({ name }) => name)).toEqual(["c", "b", "a"]);
  });
});

describe("a cursor", () => {
  const client = newProject(service);

  const someCursor = async (query: Query = {}): Promise<string> => {
    const { next_cursor } = await client.answer(listTraces, { query: { ...query, limit: 1 } });
    return next_cursor ?? "";
  };

  test("is valid only for its list, filters and project", async () => {
    await store(client, [traceOf(1), traceOf(2), traceOf(3)]);
    const [plain, byName] = [await someCursor(), await someCursor({ sort_by: "name" })];
    const otherProject = newProject(service);
    await otherProject.answer(createTrace, { body: traceOf(1) });

    const replies = [
      await client.call(listTraces, { query: { cursor: byName } }),
      await client.call(listTraces, { query: { cursor: plain, name: "t" } }),
      await client.call(listSessions, { query: { cursor: plain } }),
      await otherProject.call(listTraces, { query: { cursor: plain } }),
    ];

    expect(replies.map((reply) => [reply.status, problems(reply)])).toEqual(replies.map(() => [422, ["query.cursor"]]));
    expect((await client.call(listTraces, { query: { cursor: byName, sort_by: "name", limit: 7 } })).status).toBe(200);
  });

  test("that was not issued is refused, and so is a cursor with an offset", async () => {
    const cursor = await someCursor();
    const cursorFields: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    const [, list, offset, key, id] = v.parse(v.array(v.unknown()), cursorFields);
    const forged = [
      [2, list, offset, key, id],
      [1, list, -1, key, id],
      [1, list, offset, {}, id],
      [1, list, offset, key, "no uuid"],
      [1, list, offset, "no instant", id],
      [1, list, offset, 7, id],
    ].map((parts) => Buffer.from(JSON.stringify(parts)).toString("base64url"));
    const wrong = ["", "x", "a".repeat(10_001), cursor.slice(0, -3), ...forged];

    const replies = [];
    for (const each of wrong) replies.push(await client.call(listTraces, { query: { cursor: each } }));
    const both = await client.call(listTraces, { query: { cursor, offset: 1 } });

    expect(replies.map((reply) => [reply.status, problems(reply)])).toEqual(wrong.map(() => [422, ["query.cursor"]]));
    expect(problems(both)).toEqual(["query.offset"]);
  });

  test("is valid together with the defaults that a generated client sends with every request", async () => {
    const first = await someCursor({ sort_by: "started_at", sort_order: "desc" });
    const query = { cursor: first, limit: 50, offset: 0, sort_by: "started_at", sort_order: "desc" };
    const { items, offset } = await client.answer(listTraces, { query });

    expect({ items: items.length, offset }).toEqual({ items: 2, offset: 1 });
  });

  test("pages through a list of organizations too", async () => {
    const user = clientWith(service, { Authorization: `Bearer ${service.tenant.bearerToken}` });
    const organizations = await user.page(listOrganizations, { query: { limit: 200 } });
    const walked = await walk(user, listOrganizations, { limit: 1 });

    expect(walked).toEqual("items" in organizations ? organizations.items : organizations);
  });
});
