import { expect, inject, test } from "vitest";
import { createTrace, listTraces } from "../../../../lib/contract/traces/traces.ts";
import { getSession } from "../../../../lib/contract/sessions/sessions.ts";
import { routes } from "../../../../lib/contract/routes.ts";
import { inTurn } from "../../../support/in-turn.ts";
import { clientWith, newProject, pathOf, send } from "../../../support/service/client.ts";

const service = inject("service");
const page = "http://localhost:3000";
const elsewhere = "https://evil.example";

const exposed =
  "X-Request-ID, Retry-After, RateLimit, RateLimit-Policy, ETag, Link, X-Project-Created, X-Ignored-Fields, X-Warnings";

const ask = (path: string, origin: string) =>
  send(service, {
    method: "OPTIONS",
    path,
    headers: {
      Origin: origin,
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": "authorization,x-organization-id,x-project-id,content-type",
    },
  });

test("a preflight is allowed on every route without a credential", async () => {
  const paths = [...Map.groupBy(routes, ({ path }) => path).values()];

  const wrong = await inTurn(paths, async (group) => {
    const [route] = group;
    if (route === undefined) return [];
    const { status, text, headers } = await ask(pathOf(route), page);
    const outcome = [status, text, headers["access-control-allow-origin"]].join(" ");
    const has = String(headers["access-control-allow-methods"]).includes(route.method);
    return outcome === `204  ${page}` && has ? [] : [`${route.method} ${route.path}: ${outcome}`];
  });

  expect(wrong.flat()).toEqual([]);
});

test("a preflight lists the allowed headers and may be cached", async () => {
  const { headers } = await ask("/traces", page);

  expect(headers).toMatchObject({
    "access-control-allow-methods": "GET, HEAD, POST",
    "access-control-allow-headers":
      "Authorization, X-API-Key, X-Project-ID, X-Project-Name, X-Organization-ID, Content-Type, Idempotency-Key, If-None-Match, MCP-Protocol-Version, Mcp-Method, Mcp-Name, traceparent",
    "access-control-max-age": "600",
    vary: "Origin",
  });
  expect(headers["access-control-allow-credentials"]).toBeUndefined();
});

test.each([
  elsewhere,
  "null",
  "http://localhost.evil.example:3000",
  "http://localhost:3000.evil.example",
  "http://localhostx",
])("a page of %s may neither send requests nor read replies", async (origin) => {
  const preflight = await ask("/traces", origin);
  const readReply = await newProject(service).call(listTraces, { headers: { Origin: origin } });

  expect(preflight.headers["access-control-allow-origin"]).toBeUndefined();
  expect([readReply.status, readReply.headers["access-control-allow-origin"]]).toEqual([200, undefined]);
  expect(readReply.headers["vary"]?.split(", ")).toContain("Origin");
});

test("a page on this machine can read replies: whole, streamed, refused and created", async () => {
  const client = newProject(service);
  const body = { name: "a", session_id: "s", started_at: new Date().toISOString() };
  const headers = { Origin: page };
  const createReply = await client.call(createTrace, { body, headers });
  const replies = [
    createReply,
    await client.call(listTraces, { headers }),
    await client.call(getSession, { params: { session_id: "s" }, headers }),
    await client.call(listTraces, { query: { limit: 0 }, headers }),
  ];

  expect(replies.map(({ status }) => status)).toEqual([202, 200, 200, 422]);
  expect(replies.map((reply) => reply.headers["access-control-allow-origin"])).toEqual([page, page, page, page]);
  expect(replies.map((reply) => reply.headers["access-control-expose-headers"])).toEqual(replies.map(() => exposed));
  expect(createReply.headers["x-project-created"]).toBe("true");
});

test("a page of any origin can read the errors of the gateway itself", async () => {
  const headers = { Origin: elsewhere };
  const replies = [
    await clientWith(service, headers).call(listTraces),
    await send(service, { method: "GET", path: "/nowhere", headers }),
  ];

  expect(replies.map(({ status }) => status)).toEqual([401, 404]);
  expect(replies.map((reply) => reply.headers["access-control-allow-origin"])).toEqual(["*", "*"]);
  expect(replies.map((reply) => reply.headers["access-control-expose-headers"])).toEqual(replies.map(() => exposed));
});
