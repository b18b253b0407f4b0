import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { startFixture } from "../../../support/service/local-fixture.ts";
import { gatewayFixture, startGatewayFixture } from "../../../support/service/local-gateway.ts";

test("an unknown encoding is answered 415", async () => {
  const call = await startGatewayFixture();

  const reply = await call("/echo", { method: "POST", body: "x", headers: { "Content-Encoding": "br" } });

  expect(reply).toMatchObject({ status: 415, body: { detail: "Refused" } });
});

test("an unknown path, and a known path with a trailing slash, are answered 404 in the shape of the template", async () => {
  const call = await startGatewayFixture();

  const replies = [await call("/nowhere"), await call("/echo/"), await call("/private", { method: "POST" })];

  for (const reply of replies) {
    expect(reply).toMatchObject({ status: 404, body: { detail: "Not Found" } });
    expect(reply.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(reply.headers.get("content-type")).toBe("application/json");
  }
});

test("the authorizer's denial, its thrown Unauthorized and its failure have different replies", async () => {
  const call = await startGatewayFixture();

  const denied = await call("/private", { headers: { authorization: "deny" } });
  const thrown = await call("/private");
  const broken = await call("/private", { headers: { authorization: "broken" } });

  expect(denied).toMatchObject({ status: 401, body: { detail: "No such key" } });
  expect(denied.headers.get("www-authenticate")).toBe("Bearer");
  expect(thrown).toMatchObject({ status: 401, body: { detail: "Not authenticated" } });
  expect(broken).toMatchObject({ status: 500, body: { detail: "Broken" } });
});

test("a client is throttled by its key, and a key outside of all plans is refused", async () => {
  const call = await startGatewayFixture();
  const knownClient = { headers: { authorization: "allow client1" } };

  const statuses = [(await call("/limited", knownClient)).status, (await call("/limited", knownClient)).status];
  const third = await call("/limited", knownClient);
  const unknown = await call("/limited", { headers: { authorization: "allow client2" } });

  expect(statuses).toEqual([200, 200]);
  expect(third).toMatchObject({ status: 429, body: { detail: "Slow down" } });
  expect(third.headers.get("retry-after")).toBe("1");
  expect(unknown).toMatchObject({ status: 403, body: { detail: "Refused" } });
});

test("a body over 10 MB, before or after decompression, and an event over 6 MB are answered 413", async () => {
  const call = await startGatewayFixture();
  const post = { method: "POST" };

  const large = await call("/echo", { ...post, body: "x".repeat(10 * 1024 * 1024 + 1) });
  const bomb = await call("/echo", {
    ...post,
    body: gzipSync(Buffer.alloc(11 * 1024 * 1024)),
    headers: { "Content-Encoding": "gzip" },
  });
  // Every quotation mark takes two bytes inside the event.
  const escaped = await call("/echo", { ...post, body: '"'.repeat(3_200_000) });

  for (const reply of [large, bomb, escaped])
    expect(reply).toMatchObject({ status: 413, body: { detail: "Too large" } });
});

test("a function that throws, exits or returns no valid reply is answered 502 without the cause", async () => {
  const call = await startGatewayFixture();

  const paths = ["/throws", "/exits", "/shapeless", "/stream?fail=1", "/stream?badly=1"];
  const replies = await Promise.all(paths.map((path) => call(path)));

  for (const reply of replies) expect(reply).toMatchObject({ status: 502, body: { detail: "Broken" } });
});

test("an integration that takes too long is answered 504", async () => {
  const call = await startGatewayFixture();

  expect(await call("/slow")).toMatchObject({ status: 504, body: { detail: "Broken" } });
});

test("a request that is not HTTP is answered in the service's shape", async () => {
  const { baseUrl } = await startFixture(gatewayFixture);
  const send = async (request: string): Promise<string> => {
    const socket = connect(Number(new URL(baseUrl).port), "127.0.0.1");
    socket.write(request);
    return text(socket);
  };

  const garbage = await send("garbage\r\n\r\n");
  const noHost = await send("GET /echo HTTP/1.1\r\nConnection: close\r\n\r\n");
  const expects = await send("GET /echo HTTP/1.1\r\nHost: x\r\nExpect: cake\r\nConnection: close\r\n\r\n");
  const tunnel = await send("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n");
  const longHeader = await send(`GET /echo HTTP/1.1\r\nHost: x\r\nX-Long: ${"x".repeat(70_000)}\r\n\r\n`);

  expect(garbage).toMatch(/^HTTP\/1\.1 400 .*\{"detail":"Refused"\}$/s);
  expect(noHost).toMatch(/^HTTP\/1\.1 400 .*\{"detail":"Refused"\}$/s);
  expect(expects).toMatch(/^HTTP\/1\.1 417 .*\{"detail":"Refused"\}$/s);
  expect(tunnel).toMatch(/^HTTP\/1\.1 400 .*\{"detail":"Refused"\}$/s);
  expect(longHeader).toMatch(/^HTTP\/1\.1 431 .*\{"detail":"Refused"\}$/s);
});
