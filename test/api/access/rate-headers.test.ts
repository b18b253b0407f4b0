import { expect, inject, test } from "vitest";
import { routesWithServiceLimit, clientLimit } from "../../../lib/contract/limits.ts";
import { getMonitor } from "../../../lib/contract/monitors/monitors.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { createTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { createTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { getHealth } from "../../../lib/contract/service.ts";
import { newProject, send } from "../../support/service/client.ts";

const service = inject("service");

/** Factor by which the limits of the shared test service are higher. */
const factor = 100;

const limitIn = (headers: Readonly<Record<string, unknown>>) => {
  const state = /^"client";r=(\d+);t=(\d+)$/u.exec(String(headers["ratelimit"]));
  return { policy: headers["ratelimit-policy"], remaining: Number(state?.[1]), seconds: Number(state?.[2]) };
};

test("every reply has headers with its client's limit, the remaining requests and the seconds until the reset", async () => {
  const project = newProject(service);

  const good = await project.call(createTrace, { body: { name: "x", started_at: "2026-10-01" } });
  const bad = await project.call(createTrace, { body: {} });
  const [first, second] = [limitIn(good.headers), limitIn(bad.headers)];

  expect([good.status, bad.status]).toEqual([202, 422]);
  expect([first.policy, second.policy]).toEqual(Array(2).fill(`"client";q=${100 * factor};w=60`));
  expect(second.remaining).toBeLessThan(first.remaining);
  expect(first.seconds).toBeGreaterThan(0);
  expect(first.seconds).toBeLessThanOrEqual(60);
});

test("lists have a limit of their own, within the range of one counter; single monitors have none", async () => {
  const project = newProject(service);

  const list = await project.call(listTraces);
  const single = await project.call(getMonitor, { params: { monitor_id: "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01" } });
  const run = await project.call(createTraceRun, { body: {} });

  expect(limitIn(list.headers).policy).toBe('"client";q=30000;w=60, "organization";q=300000;w=60');
  expect([single.headers["ratelimit-policy"], single.headers["ratelimit"]]).toEqual(['"plan";q=10000;w=1', undefined]);
  expect(limitIn(run.headers).policy).toBe(`"client";q=${50 * factor};w=60`);
});

test.each([
  ["health", "GET", "/health", 200, getHealth],
  ["the root", "GET", "/", 302, null],
  ["an unknown path", "GET", "/nothing", 404, null],
  ["a method that a path does not have", "DELETE", "/traces", 405, null],
  ["a request without credentials", "GET", "/traces", 401, listTraces],
])(
  "%s reports the limit of the gateway, the only one that applies there",
  async (_name, method, path, status, route) => {
    const reply = await send(service, { method, path, route });

    expect([reply.status, reply.headers["ratelimit-policy"]]).toEqual([status, '"gateway";q=1000;w=1']);
  },
);

test("every list of the data plane, all analytics, keys and everything that starts a run have a limit", () => {
  const ids = new Set(routes.map(({ id }) => id));
  const without = routes.filter((route) => clientLimit(route) === undefined && route.access === "project");

  expect([...routesWithServiceLimit].filter((id) => !ids.has(id))).toEqual([]);
  expect(without.filter(({ query }) => JSON.stringify(query)?.includes("offset")).map(({ id }) => id)).toEqual([]);
  expect(without.filter(({ dryRun, path }) => dryRun !== undefined || /analytics|retry/u.test(path))).toEqual([]);
});
