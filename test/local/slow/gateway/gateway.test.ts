import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { startFixture } from "../../../support/service/local-fixture.ts";
import { gatewayFixture, startGatewayFixture } from "../../../support/service/local-gateway.ts";

test("a function receives a REST proxy event, and its reply is returned", async () => {
  const call = await startGatewayFixture();

  const reply = await call("/echo/a%2Fb?x=1&x=2&y=%C3%A9+z", { headers: { "X-Three": "3" } });

  expect(reply.status).toBe(200);
  expect(reply.headers.get("x-one")).toBe("1");
  expect(reply.headers.get("x-many")).toBe("a, b");
  expect(reply.headers.get("content-type")).toBe("application/json");
  expect(reply.body).toMatchObject({
    resource: "/echo/{id}",
    path: "/echo/a%2Fb",
    httpMethod: "GET",
    pathParameters: { id: "a/b" },
    queryStringParameters: { x: "2", y: "é z" },
    multiValueQueryStringParameters: { x: ["1", "2"], y: ["é z"] },
    body: null,
    isBase64Encoded: false,
    requestContext: { resourcePath: "/echo/{id}", identity: { sourceIp: "127.0.0.1" } },
  });
});

test("a compressed body reaches the function as text, without its Content-Encoding", async () => {
  const call = await startGatewayFixture();

  const body = gzipSync('{"a":"é"}');
  const reply = await call("/echo", { method: "POST", body, headers: { "Content-Encoding": "gzip" } });

  expect(reply.body).toMatchObject({ body: '{"a":"é"}' });
  expect(JSON.stringify(reply.body["headers"]).toLowerCase()).not.toContain("content-encoding");
});

test("a method that the path does not have is answered by the mock integration", async () => {
  const call = await startGatewayFixture();

  const reply = await call("/echo", { method: "DELETE" });

  expect(reply).toMatchObject({ status: 405, body: { detail: "Method Not Allowed" } });
  expect(reply.headers.get("allow")).toBe("GET, POST");
  expect(reply.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
});

test("the authorizer's context reaches the function as text", async () => {
  const call = await startGatewayFixture();

  const reply = await call("/private", { headers: { authorization: "allow" } });

  expect(reply.body).toMatchObject({
    requestContext: { authorizer: { principalId: "me", detail: "No such key", count: "3" } },
  });
});

test.each([
  ["a function", "GET", "/echo"],
  ["a streaming function", "GET", "/stream"],
  ["a mock integration", "DELETE", "/echo"],
  ["the gateway", "GET", "/nowhere"],
])("a reply of %s lacks HSTS, which is for HTTPS", async (_, method, path) => {
  const { baseUrl } = await startFixture(gatewayFixture);

  const { status, headers } = await fetch(`${baseUrl}${path}`, { method });

  expect([status, headers.get("strict-transport-security")]).toEqual([expect.any(Number), null]);
  expect(status).toBeLessThan(500);
});

test("a streamed reply may exceed 6 MB, and a failure before its first byte is an error reply", async () => {
  const { baseUrl } = await startFixture(gatewayFixture);

  const reply = await fetch(`${baseUrl}/stream`);
  const body = await reply.text();
  const failed = await fetch(`${baseUrl}/stream?fail=1`);

  expect(reply.status).toBe(206);
  expect(reply.headers.get("x-streamed")).toBe("yes");
  expect(body).toHaveLength(8 * 1024 * 1024 + 1);
  expect(body.endsWith("!")).toBe(true);
  expect([failed.status, await failed.json()]).toEqual([502, { detail: "Broken" }]);
});
