import { expect, inject, test } from "vitest";
import { guarded, limitOf } from "../../../lib/contract/limits.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { createTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { createTrace, getTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { getHealth } from "../../../lib/contract/service.ts";
import { newProject, send } from "../../support/service/client.ts";

const service = inject("service");

/** The shared service has a hundred times the limits. */
const factor = 100;

const told = (headers: Readonly<Record<string, unknown>>) => {
  const state = /^"client";r=(\d+);t=(\d+)$/u.exec(String(headers["ratelimit"]));
  return { policy: headers["ratelimit-policy"], remaining: Number(state?.[1]), seconds: Number(state?.[2]) };
};

test("a reply tells its client's limit, what is left of it and until when, whatever the reply is", async () => {
  const project = newProject(service);

  const good = await project.call(createTrace, { body: { name: "x", started_at: "2026-10-01" } });
  const bad = await project.call(createTrace, { body: {} });
  const [first, second] = [told(good.headers), told(bad.headers)];

  expect([good.status, bad.status]).toEqual([202, 422]);
  expect([first.policy, second.policy]).toEqual(Array(2).fill(`"client";q=${100 * factor};w=60`));
  expect(second.remaining).toBeLessThan(first.remaining);
  expect(first.seconds).toBeGreaterThan(0);
  expect(first.seconds).toBeLessThanOrEqual(60);
});

test("lists have a limit of the service's own, no higher than one counter holds; single things have none", async () => {
  const project = newProject(service);

  const list = await project.call(listTraces);
  const one = await project.call(getTrace, { params: { trace_id: "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01" } });
  const run = await project.call(createTraceRun, { body: {} });

  expect(told(list.headers).policy).toBe('"client";q=30000;w=60, "organization";q=300000;w=60');
  expect([one.headers["ratelimit-policy"], one.headers["ratelimit"]]).toEqual(['"plan";q=10000;w=1', undefined]);
  expect(told(run.headers).policy).toBe(`"client";q=${50 * factor};w=60`);
});

test.each([
  ["health", "GET", "/health", 200, getHealth],
  ["the root", "GET", "/", 302, null],
  ["a path that is none", "GET", "/nothing", 404, null],
  ["a method that a path does not have", "DELETE", "/traces", 405, null],
  ["a request without credentials", "GET", "/traces", 401, listTraces],
])(
  "%s tells what the gateway lets through, for nothing else holds there",
  async (_name, method, path, status, route) => {
    const reply = await send(service, { method, path, route });

    expect([reply.status, reply.headers["ratelimit-policy"]]).toEqual([status, '"gateway";q=1000;w=1']);
  },
);

test("every list of the data plane, all analytics, keys and what makes a run have a limit", () => {
  const ids = new Set(routes.map(({ id }) => id));
  const without = routes.filter((route) => limitOf(route) === undefined && route.access === "project");

  expect([...guarded].filter((id) => !ids.has(id))).toEqual([]);
  expect(without.filter(({ query }) => JSON.stringify(query)?.includes("offset")).map(({ id }) => id)).toEqual([]);
  expect(without.filter(({ dryRun, path }) => dryRun !== undefined || /analytics|retry/u.test(path))).toEqual([]);
});
