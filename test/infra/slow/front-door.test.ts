import { describe, expect, test } from "vitest";
import { apiDefinition } from "../../../infra/api/api-definition.ts";
import type { Integration } from "../../../infra/local/gateway/api-definition.ts";
import { mockReply } from "../../../infra/local/gateway/mock-integration.ts";
import { routes } from "../../../lib/contract/routes.ts";

interface Method {
  readonly security?: readonly unknown[];
  readonly "x-amazon-apigateway-integration": Integration;
}

const invocation = { functionId: "Function", roleArn: "role" };
const definition = apiDefinition({
  origins: ["https://app.example.com"],
  requestsPerSecond: 1_000,
  title: "api",
  version: "0",
  routes,
  invocation: () => invocation,
  authorizer: invocation,
});
const root = definition.paths["/"] as Readonly<Record<string, Method>>;

const methodOf = (name: string): Method => {
  const method = root[name];
  if (method === undefined) throw new Error(`The root has no ${name}.`);
  return method;
};
const answer = (name: string, path: string) =>
  mockReply(methodOf(name)["x-amazon-apigateway-integration"], { path, requestId: "r-1" });

test("the root needs no function and no credential", () => {
  const methods = Object.values(root);

  expect(methods.map((method) => method["x-amazon-apigateway-integration"].type)).toEqual(["mock", "mock", "mock"]);
  // A method without `security` would take that of the whole definition.
  expect([definition, ...methods].filter((part) => "security" in part)).toEqual([]);
});

describe.each(["get", "head"])("%s of the root", (name) => {
  test.each([
    ["https://id.execute-api.example/dev", "https://id.execute-api.example/dev/docs"],
    ["https://id.execute-api.example/dev/", "https://id.execute-api.example/dev/docs"],
    ["https://api.example.com", "https://api.example.com/docs"],
    ["https://api.example.com/", "https://api.example.com/docs"],
    ["https://api.example.com/base", "https://api.example.com/base/docs"],
  ])("at %s redirects to %s", (address, expected) => {
    const { status, headers, body } = answer(name, new URL(address).pathname);

    expect({ status, body }).toEqual({ status: 302, body: "" });
    expect(new URL(String(headers["location"]), address).href).toBe(expected);
    expect(headers["x-request-id"]).toBe("r-1");
  });

  test("never redirects to another host", () => {
    expect(answer(name, "//evil.example").headers["location"]).toBe("/evil.example/docs");
  });

  test("has the gateway's headers", () => {
    expect(answer(name, "/dev").headers).toMatchObject({
      "ratelimit-policy": '"gateway";q=1000;w=1',
      "x-content-type-options": "nosniff",
    });
  });
});

test("every reply without a function tells browsers to use HTTPS: redirects, preflights, unknown methods and unserved paths", () => {
  const replies = Object.values(definition.paths)
    .flatMap((methods) => Object.values(methods as Readonly<Record<string, Method>>))
    .map((method) => method["x-amazon-apigateway-integration"])
    .filter(({ type }) => type === "mock")
    .map((integration) => mockReply(integration, { path: "/dev", requestId: "r-1" }));

  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([302, 204, 404, 405]));
  for (const { headers } of replies) expect(headers).toMatchObject({ "strict-transport-security": "max-age=31536000" });
});

test("answers other methods with the allowed ones", () => {
  const { status, headers, body } = answer("x-amazon-apigateway-any-method", "/dev");

  expect({ status, allow: headers["allow"] }).toEqual({ status: 405, allow: "GET, HEAD" });
  expect(JSON.parse(String(body))).toMatchObject({ detail: "Method Not Allowed", code: "method_not_allowed" });
});
