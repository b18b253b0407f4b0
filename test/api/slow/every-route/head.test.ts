import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { expect, inject, test } from "vitest";
import type { Route } from "../../../../lib/contract/route.ts";
import { routes } from "../../../../lib/contract/routes.ts";
import { listSessionRunScores } from "../../../../lib/contract/runs/session-runs.ts";
import { createTraceRun, getTraceRun, listTraceRunScores } from "../../../../lib/contract/runs/trace-runs.ts";
import { getSessionScores } from "../../../../lib/contract/scores/session-scores.ts";
import { getSession } from "../../../../lib/contract/sessions/sessions.ts";
import { createTrace, listTraces } from "../../../../lib/contract/traces/traces.ts";
import { pathOf, send } from "../../../support/service/client.ts";
import { callerOf, routesByName, project } from "../../../support/service/every-route.ts";
import { sample } from "../../../support/sample.ts";

const service = inject("service");
const getRoutes = routes.filter(({ method }) => method === "GET");

/** Headers that differ between requests, or that describe a body which a HEAD does not have. */
const changing = new Set(
  "content-length date etag ratelimit transfer-encoding x-amzn-requestid x-project-created x-request-id".split(" "),
);
const stableHeaders = (headers: IncomingHttpHeaders) =>
  Object.entries(headers)
    .filter(([name]) => !changing.has(name))
    // The cursor in a link header moves as other tests add data.
    .map(([name, value]) => [name, name === "link" ? "a page behind it" : value]);

test.each(sample("HEAD", routesByName(getRoutes)))("HEAD is answered like %s, without a body", async (_name, route) => {
  const { headers } = callerOf(route);
  const path = pathOf(route);

  const getReply = await send(service, { method: "GET", path, headers, route });
  const head = await send(service, { method: "HEAD", path, headers, route });

  expect([head.status, stableHeaders(head.headers)]).toEqual([getReply.status, stableHeaders(getReply.headers)]);
  expect(head.text).toBe("");
  expect("etag" in head.headers).toBe("etag" in getReply.headers);
});

test("every reply to a GET has an ETag, except arrays of scores that are streamed", async () => {
  const session_id = randomUUID();
  const started_at = new Date().toISOString();
  await project.answer(createTrace, { body: { name: "a", session_id, started_at } });
  const run = await project.answer(createTraceRun, { body: { metrics: ["tool_correctness"] } });
  const params = { run_id: run.id, session_id, score_id: session_id };
  const hasETag = async (route: Route, query = {}) => "etag" in (await project.call(route, { params, query })).headers;

  for (const route of [listTraces, getSession, getTraceRun])
    expect([route.id, await hasETag(route)]).toEqual([route.id, true]);
  expect(await hasETag(listTraceRunScores, { limit: 5 })).toBe(true);
  for (const route of [listTraceRunScores, listSessionRunScores, getSessionScores]) {
    expect([route.id, await hasETag(route)]).toEqual([route.id, false]);
  }
});

test.each(sample("HEAD without a credential", routesByName(getRoutes.filter(({ access }) => access !== "public"))))(
  "HEAD is refused like %s without a credential",
  async (_name, route) => {
    const { status, headers } = await send(service, {
      method: "HEAD",
      path: pathOf(route),
      headers: { "X-API-Key": "sk_as_nobody" },
      route,
    });

    expect([status, headers["www-authenticate"]]).toEqual([401, "Bearer"]);
  },
);

test("a HEAD counts against the limit of its GET", async () => {
  const quotaOf = ({ headers }: { readonly headers: IncomingHttpHeaders }) => {
    const [, remaining, seconds] = /"client";r=(\d+);t=(\d+)/u.exec(String(headers["ratelimit"])) ?? [];
    return { remaining: Number(remaining), seconds: Number(seconds) };
  };
  const request = { path: listTraces.path, headers: project.headers, route: listTraces };
  let before, after;
  do {
    before = quotaOf(await send(service, { method: "GET", ...request }));
    after = quotaOf(await send(service, { method: "HEAD", ...request }));
    // The window ended between the two requests when the second has more time left.
  } while (after.seconds > before.seconds);

  expect(after.remaining).toBeLessThan(before.remaining);
});
