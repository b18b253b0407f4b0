import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { describe, expect, inject, test } from "vitest";
import { createTrace, getTrace, listTraces } from "../../lib/contract/traces/traces.ts";
import { maxViolations } from "../../lib/domain/refusal.ts";
import { bearerClient, clientWith, newProject, requestTimeout, send } from "../support/service/client.ts";
import { checkReply, problems, type Reply, withoutRequestDetails } from "../support/reply-shape.ts";

const service = inject("service");
const { tenant, stranger } = service;
const victim = newProject(service);
const { port } = new URL(service.baseUrl);
const credentials = `X-API-Key: ${tenant.apiKey}\r\nX-Project-Name: ${String(victim.headers["X-Project-Name"])}\r\n`;
const trace = '{"name":"x","started_at":"2026-10-01"}';

/** Sends bytes over a bare socket. @returns the first reply, which must arrive before the connection ends. */
const sendBytes = async (bytes: string): Promise<Reply> => {
  const socket = connect(Number(port), "127.0.0.1");
  socket.setTimeout(requestTimeout, () => socket.destroy(new Error("There was no answer.")));
  socket.write(Buffer.from(bytes, "latin1"));
  const answer = await textOf(socket);
  const [head = "", ...bodyParts] = answer.split("\r\n\r\n");
  const [first = "", ...lines] = head.split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const text = bodyParts.join("\r\n\r\n").slice(0, Number(headers["content-length"]));
  const parsedReply = { status: Number(first.split(" ")[1]), headers, text, body: JSON.parse(text) as unknown };
  // For malformed HTTP the host name of the request is unknown.
  const reply = withoutRequestDetails(parsedReply);
  checkReply(reply, "POST", null, service.hidden);
  return reply;
};

const post = (headerLines: string, body = trace): string =>
  `POST /traces HTTP/1.1\r\nHost: a\r\n${credentials}Content-Type: application/json\r\nConnection: close\r\n${headerLines}\r\n${body}`;

describe("requests that are not HTTP", () => {
  test.each([
    ["noise", "\0\u0001\u0002\r\n\r\n"],
    ["a line without a version", "GET /traces\r\n\r\n"],
    ["a version that does not exist", "GET /traces HTTP/9.9\r\nHost: a\r\n\r\n"],
    ["no host", "GET /traces HTTP/1.1\r\nConnection: close\r\n\r\n"],
    ["a method that does not exist", `STEAL /traces HTTP/1.1\r\nHost: a\r\n${credentials}\r\n`],
    ["a tunnel", "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n"],
    ["a header without a colon", "GET /traces HTTP/1.1\r\nHost: a\r\nX-API-Key\r\n\r\n"],
    ["a header with a blank in its name", "GET /traces HTTP/1.1\r\nHost: a\r\nX API Key: b\r\n\r\n"],
    ["a header with a NUL", "GET /traces HTTP/1.1\r\nHost: a\r\nX-API-Key: a\0b\r\n\r\n"],
    ["a header with a bare line feed", post("X-Request-ID: a\nX-API-Key: b\r\nContent-Length: 38\r\n")],
    ["a header with a bare carriage return", post("X-Request-ID: a\rX-API-Key: b\r\nContent-Length: 38\r\n")],
    ["two lengths", post("Content-Length: 38\r\nContent-Length: 5\r\n")],
    [
      "a length and chunks",
      post("Content-Length: 38\r\nTransfer-Encoding: chunked\r\n", `26\r\n${trace}\r\n0\r\n\r\n`),
    ],
    ["a negative length", post("Content-Length: -38\r\n")],
    ["a length that is not a number", post("Content-Length: 0x26\r\n")],
    ["a chunk of a wrong size", post("Transfer-Encoding: chunked\r\n", `zz\r\n${trace}\r\n0\r\n\r\n`)],
    ["an unknown transfer encoding", post("Transfer-Encoding: cow\r\n")],
    ["headers without end", `GET /traces HTTP/1.1\r\nHost: a\r\nX-Long: ${"a".repeat(70_000)}\r\n\r\n`],
    ["an address with a line break in it", "GET /tra\nces HTTP/1.1\r\nHost: a\r\n\r\n"],
  ])("%s is refused with an error of the service", async (_name, bytes) => {
    const reply = await sendBytes(bytes);

    expect(reply.status).toBeGreaterThanOrEqual(400);
  });

  test("a request cannot be hidden in the body of another", async () => {
    const smuggled = `POST /traces HTTP/1.1\r\nHost: a\r\n${credentials}Content-Type: application/json\r\nContent-Length: 38\r\n\r\n${trace}`;
    const reply = await sendBytes(post(`Content-Length: ${smuggled.length}\r\n`, smuggled));

    expect(reply.status).toBe(422);
  });
});

describe("contradictory credentials", () => {
  const list = (headers: Readonly<Record<string, string | readonly string[] | undefined>>) =>
    clientWith(service, { ...victim.headers, ...headers }).call(listTraces);

  test("two different keys are refused, in either order", async () => {
    const replies = await Promise.all([
      list({ "X-API-Key": [tenant.apiKey, stranger.apiKey] }),
      list({ "X-API-Key": [stranger.apiKey, tenant.apiKey] }),
      list({ "X-API-Key": [tenant.apiKey, "x"] }),
      list({ "X-API-Key": undefined, "x-api-key": [tenant.apiKey, `${tenant.apiKey} `.repeat(2)] }),
    ]);

    expect(replies.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
  });

  test("two bearer tokens are refused", async () => {
    const tokens = [`Bearer ${tenant.bearerToken}`, `Bearer ${stranger.bearerToken}`].flatMap(
      (token) => `Authorization: ${token}\r\n`,
    );
    const reply = await sendBytes(
      `GET /traces HTTP/1.1\r\nHost: a\r\n${tokens.join("")}X-Project-ID: ${tenant.projectId}\r\nConnection: close\r\n\r\n`,
    );

    expect(reply.status).toBe(401);
  });

  test("two different projects are refused", async () => {
    const byName = await list({ "X-Project-Name": ["one", "two"] });
    const byId = await clientWith(service, {
      Authorization: `Bearer ${tenant.bearerToken}`,
      "X-Project-ID": [tenant.projectId, stranger.projectId],
    }).call(listTraces);

    expect([byName, byId].map((reply) => [reply.status, problems(reply)])).toEqual([
      [422, ["header.X-Project-Name"]],
      [422, ["header.X-Project-ID"]],
    ]);
  });

  test("headers that a proxy would set are ignored", async () => {
    const spoofed = {
      "X-Amzn-Principal": tenant.apiKey,
      "X-Amzn-RequestId": randomUUID(),
      "X-Forwarded-For": "127.0.0.1",
      "X-Forwarded-User": "root",
      "X-Organization-ID": randomUUID(),
      "X-Project-ID": tenant.projectId,
      "X-Project-Name": tenant.projectName,
    };
    const nobody = await clientWith(service, spoofed).call(listTraces);
    const strangerReply = await bearerClient(service, tenant.projectId, stranger).call(listTraces, {
      headers: spoofed,
    });

    expect([nobody.status, strangerReply.status]).toEqual([401, 404]);
  });

  test.each([
    " ",
    "\t",
    "Bearer",
    "Bearer ",
    "Bearer  ",
    "Token x",
    "Bearer a b",
    "bearer\tx",
    `Bearer ${"x".repeat(12_000)}`,
  ])("the authorization %j is refused", async (Authorization) => {
    const reply = await clientWith(service, { Authorization, "X-Project-ID": tenant.projectId }).call(listTraces);

    expect(reply.status).toBe(401);
  });
});

describe("paths that imitate other paths", () => {
  const get = (path: string) => send(service, { method: "GET", path, headers: victim.headers });

  test.each([
    "//traces",
    "/traces//",
    "/./traces",
    "/x/../traces",
    "/%2e%2e/traces",
    "/traces;x=1",
    "/traces%3Flimit=1",
    "/traces%2f",
    "/%74races/",
    "/evaluations%2ftrace-runs",
    "/evaluations//trace-runs",
    "/evaluations",
    "//",
    "*",
    "/.env",
    "/health/..",
    `/${"a".repeat(8_000)}`,
    "/traces\\",
  ])("%s is not found", async (path) => {
    expect(await get(path)).toMatchObject({ status: 404, body: { detail: "Not Found" } });
  });

  test.each(["%2e%2e%2fhealth", "..%2f..%2fhealth", "%00", "%252e%252e", "%0d%0aX-API-Key:%20x", "*", "~", "%C3%A9"])(
    "/traces/%s is the id of no trace",
    async (id) => {
      const reply = await get(`/traces/${id}`);

      expect([reply.status, reply.body]).toEqual([404, { detail: expect.stringMatching(/^Trace [^]* not found\.$/u) }]);
    },
  );

  test("a long text is an invalid id of a trace", async () => {
    const reply = await get(`/traces/${"a".repeat(8_000)}`);

    expect([reply.status, problems(reply)]).toEqual([422, ["path.trace_id"]]);
  });

  test.each(["/traces/%ff", "/traces/%", "/traces/%zz", "/%c0%ae%c0%ae/traces", `/${"a".repeat(60_000)}`])(
    "%s is refused",
    async (path) => {
      const reply = await get(path);

      expect(reply.status).toBeGreaterThanOrEqual(400);
    },
  );

  test("a path with 500 parameters or with a very long one is answered", async () => {
    const many = await victim.call(listTraces, {
      query: Array.from({ length: 500 }, (_, index) => `p${index}=1`).join("&"),
    });
    const long = await victim.call(listTraces, { query: { limit: "1".repeat(10_000) } });

    expect([many.status, long.status]).toEqual([422, 422]);
    expect(problems(many)).toHaveLength(maxViolations);
  });

  test("the service's own URL in the request line is not a different service", async () => {
    const reply = await sendBytes(
      "GET http://example.com/traces HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n",
    );

    expect(reply.status).toBeGreaterThanOrEqual(400);
  });
});

test("an unknown trace and another tenant's trace get replies with the same bytes", async () => {
  const theirs = await newProject(service, stranger).answer(createTrace, { bytes: trace });
  const [foreign, random] = [theirs.trace_id, randomUUID()];
  const replies = await Promise.all(
    [foreign, random].map((trace_id) => victim.call(getTrace, { params: { trace_id } })),
  );

  expect(
    replies.map(({ status, text }, index) => `${status} ${text.replace([foreign, random][index] ?? "", "<id>")}`),
  ).toEqual(replies.map(() => '404 {"detail":"Trace <id> not found."}'));
});

test("the refused requests leave nothing behind", async () => {
  const { items, total } = await victim.answer(listTraces);

  expect([items, total]).toEqual([[], 0]);
});

test("a HEAD that is not well-formed HTTP is answered without a body", async () => {
  const socket = connect(Number(port), "127.0.0.1");
  socket.write(Buffer.from("HEAD /traces/\u00e9 HTTP/1.1\r\nHost: x\r\n\r\n", "latin1"));

  const answer = await textOf(socket);

  expect(answer).toMatch(/^HTTP\/1\.1 4\d\d [^]*\r\n\r\n$/);
});
