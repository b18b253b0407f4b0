import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { listOrganizations } from "../../../../lib/contract/access/organizations.ts";
import { createTraceScore, listTraceScores } from "../../../../lib/contract/scores/trace-scores.ts";
import { listSessions } from "../../../../lib/contract/sessions/sessions.ts";
import { getTraceAnalytics } from "../../../../lib/contract/traces/analytics.ts";
import { createTrace, getTrace, listTraces } from "../../../../lib/contract/traces/traces.ts";
import { inTurn } from "../../../support/in-turn.ts";
import { problems } from "../../../support/reply-shape.ts";
import { callerOf, routesByName, jsonRoutes } from "../../../support/service/every-route.ts";
import { clientWith, newProject } from "../../../support/service/client.ts";

const service = inject("service");

const guarded = routesByName(jsonRoutes.filter(({ access, path }) => access !== "public" && !path.startsWith("/api/")));

test("an unknown query parameter is refused on every route", async () => {
  const replies = await inTurn(
    guarded,
    async ([name, route]) =>
      [
        name,
        await callerOf(route).call(route, {
          query: { nonsense_9: "1" },
          ...(route.body !== undefined && { bytes: "{}" }),
        }),
      ] as const,
  );

  const wrong = replies.filter(([, reply]) => reply.status !== 422 || !problems(reply).includes("query.nonsense_9"));
  expect(wrong.map(([name, reply]) => `${name} ${reply.status} ${reply.text.slice(0, 200)}`)).toEqual([]);
});

test.each(["%FF", "a%C3%28", "%ED%A0%80"])("%s, which is no UTF-8, is refused on every route", async (text) => {
  const replies = await inTurn(guarded, ([, route]) =>
    callerOf(route).call(route, { query: `user_id=${text}`, ...(route.body !== undefined && { bytes: "{}" }) }),
  );

  expect(
    replies.flatMap((reply) => (problems(reply).includes("query.user_id") ? [] : [`${reply.status} ${reply.text}`])),
  ).toEqual([]);
  expect(replies.filter(({ text: body }) => !body.includes("Text should be well-formed Unicode"))).toEqual([]);
});

test("U+FFFD that was sent is a text as any other, and so are escapes of a plus and a percent sign", async () => {
  const client = newProject(service);
  const user_id = "\ufffd +%";
  await client.answer(createTrace, { body: { name: "a", started_at: "2026-10-01", user_id } });

  const { total } = await client.answer(listTraces, { query: "user_id=%EF%BF%BD+%2B%" });

  expect(total).toBe(1);
});

test("the error about a misspelt parameter suggests the nearest name", async () => {
  const { text } = await newProject(service).call(listTraces, { query: { sesion_id: "a" } });

  expect(text).toContain("did you mean session_id?");
});

test("a range of dates has two names, which cannot be combined", async () => {
  const client = newProject(service);
  for (const day of ["01", "11"])
    await client.answer(createTrace, { body: { name: day, session_id: day, started_at: `2026-10-${day}` } });
  const query = { date_from: "2026-10-10", date_to: "2026-10-12" };

  const traces = await client.answer(listTraces, { query });
  const sessions = await client.answer(listSessions, { query });
  const both = await client.call(listTraces, { query: { ...query, started_after: "2026-10-10" } });
  const scores = await client.answer(listTraceScores, { query: { started_after: "2026-10-10" } });

  expect([traces.total, sessions.total, scores.total]).toEqual([1, 1, 0]);
  expect(problems(both)).toEqual(["query.date_from"]);
});

test("numbers are accepted in scientific notation", async () => {
  const client = newProject(service);
  const spans = [{ name: "a", started_at: "2026-10-01", token_usage: { prompt_tokens: 1500 }, cost: { total: 2e-7 } }];
  const { trace_id } = await client.answer(createTrace, { body: { name: "a", started_at: "2026-10-01", spans } });
  await client.answer(createTraceScore, { body: { trace_id, name: "quality", value: 5e-8 } });
  const traces = async (query: Readonly<Record<string, string>>) =>
    (await client.answer(listTraces, { query })).items.length;
  const scores = async (query: Readonly<Record<string, string>>) =>
    (await client.answer(listTraceScores, { query })).items.length;

  await expect.poll(() => traces({ score: "quality<1e-7" })).toBe(1);
  expect(await traces({ min_cost: String(1e-7), max_cost: "3E-7", min_tokens: "1.5e+3" })).toBe(1);
  expect(await traces({ min_cost: "3e-7" })).toBe(0);
  expect([await scores({ max_value: "5e-8" }), await scores({ min_value: "-1e-7", max_value: "4e-8" })]).toEqual([
    1, 0,
  ]);
  expect(problems(await client.call(listTraces, { query: { max_cost: "1e400" } }))).toEqual(["query.max_cost"]);
});

test("analytics without dates cover the last seven days", async () => {
  const client = newProject(service);
  for (const days of [1, 6, 9]) {
    const started_at = new Date(Date.now() - days * 86_400_000).toISOString();
    await client.answer(createTrace, { body: { name: "a", started_at } });
  }

  const week = { date_from: new Date(Date.now() - 10 * 86_400_000).toISOString() };
  const figures = () => client.answer(getTraceAnalytics, { query: week });
  await expect.poll(figures, { timeout: 30_000, interval: 500 }).toHaveLength(3);
  expect(await client.answer(getTraceAnalytics)).toHaveLength(2);
});

test("an id is accepted without its hyphens, in a path, a body and a header", async () => {
  const client = newProject(service);
  const id = randomUUID();
  const bare = id.replaceAll("-", "").toUpperCase();
  const { trace_id } = await client.answer(createTrace, {
    body: { trace_id: bare, name: "a", started_at: "2026-10-01" },
  });
  const trace = await client.answer(getTrace, { params: { trace_id: bare } });
  const owner = clientWith(service, {
    Authorization: `Bearer ${service.tenant.bearerToken}`,
    "X-Project-ID": trace.project_id.replaceAll("-", ""),
  });

  expect([trace_id, trace.trace_id]).toEqual([id, id]);
  expect((await owner.answer(getTrace, { params: { trace_id: bare } })).trace_id).toBe(id);
});

test("either header names the project with either credential, and the credential's own header takes precedence", async () => {
  const { tenant, stranger } = service;
  const key = { "X-API-Key": tenant.apiKey };
  const token = { Authorization: `Bearer ${tenant.bearerToken}` };
  const bearerKey = { Authorization: `Bearer ${tenant.apiKey}` };
  const byName = { "X-Project-Name": tenant.projectName };
  const byId = { "X-Project-ID": tenant.projectId };
  const client = clientWith(service, { ...key, ...byName });
  const { trace_id } = await client.answer(createTrace, { body: { name: "a", started_at: "2026-10-01" } });
  const ask = async (headers: Readonly<Record<string, string>>) =>
    (await clientWith(service, headers).call(getTrace, { params: { trace_id } })).status;

  const statuses = [
    await ask({ ...key, ...byId }),
    await ask({ ...bearerKey, ...byId }),
    await ask({ ...token, ...byName }),
    await ask({ ...key, ...byName, "X-Project-ID": stranger.projectId }),
    await ask({ ...token, ...byId, "X-Project-Name": "nowhere" }),
    await ask({ ...key, "X-Project-ID": stranger.projectId }),
    await ask({ ...token, "X-Project-Name": `nobody's ${randomUUID()}` }),
    await ask({ ...key, "X-Project-ID": "x" }),
  ];

  expect(statuses).toEqual([200, 200, 200, 200, 200, 404, 404, 422]);
});

test("a management list is an array, or a page when a limit is given", async () => {
  const user = clientWith(service, { Authorization: `Bearer ${service.tenant.bearerToken}` });
  const organizations = await user.answer(listOrganizations);
  const page = await user.answer(listOrganizations, { query: { limit: 200 } });

  expect(Array.isArray(organizations)).toBe(true);
  expect(page).toMatchObject({ items: organizations, limit: 200, offset: 0, next_cursor: null });
});
