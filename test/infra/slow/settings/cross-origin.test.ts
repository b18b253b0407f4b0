import type { Template } from "aws-cdk-lib/assertions";
import { expect, test } from "vitest";
import type { Integration } from "../../../../infra/local/gateway/api-definition.ts";
import { mockReply } from "../../../../infra/local/gateway/mock-integration.ts";
import { resolverOf } from "../../../../infra/local/template/intrinsics.ts";
import { unservedPaths } from "../../../../infra/api/unserved-paths.ts";
import { variables } from "../../../../lib/wiring/environment.ts";
import { synthesize } from "../../synthesize.ts";

const integrationKey = "x-amazon-apigateway-integration";

interface Body {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, Readonly<Record<typeof integrationKey, Integration>>>>>
  >;
}

/** The definition of the API, with shared texts resolved. */
const bodyOf = (template: Template): Body => {
  const [api] = resolverOf(template.toJSON() as Parameters<typeof resolverOf>[0]).resources("AWS::ApiGateway::RestApi");
  return api?.properties["Body"] as Body;
};

const corsSettings = (template: Template): unknown[] =>
  Object.values(template.findResources("AWS::Lambda::Function")).flatMap(
    ({ Properties }) => Properties.Environment.Variables[variables.allowedOrigins] ?? [],
  );

test("no browser page may call the API unless an origin is listed", () => {
  const { template } = synthesize();

  expect(JSON.stringify(bodyOf(template))).not.toContain("Access-Control");
  expect(Object.values(bodyOf(template).paths).filter((item) => "options" in item)).toEqual([]);
  expect(corsSettings(template)).toEqual([]);
});

test("a listed origin costs no resource: each path answers browsers by itself", () => {
  const usual = synthesize().template;
  const { template } = synthesize({ allowedOrigins: ["https://app.example.com", "https://b.example:8443"] });
  const count = (template: Template): number => Object.keys(template.toJSON().Resources).length;
  const withoutPages = new Set(["/", ...unservedPaths.map(({ path }) => path)]);
  const paths = Object.entries(bodyOf(template).paths).filter(([path]) => !withoutPages.has(path));

  expect(count(template)).toBe(count(usual));
  expect(paths.filter(([, item]) => item["options"]?.[integrationKey].type !== "mock")).toEqual([]);
  expect(new Set(corsSettings(template))).toEqual(new Set(['["https://app.example.com","https://b.example:8443"]']));
});

test.each([
  ["https://app.example.com", true],
  ["https://b.example:8443", true],
  ["https://b.example", false],
  ["https://appXexample.com", false],
  ["https://app.example.com.evil.example", false],
  ["https://evil.example/https://app.example.com", false],
])("a page of %s: allowed %s", (origin, allowed) => {
  const { template } = synthesize({ allowedOrigins: ["https://app.example.com", "https://b.example:8443"] });
  const method = bodyOf(template).paths["/traces"]?.["options"];
  if (method === undefined) throw new Error("There is no OPTIONS of /traces.");
  const { status, headers } = mockReply(method[integrationKey], { requestId: "r-1" }, { origin });

  expect(status).toBe(204);
  expect(headers["access-control-allow-origin"]).toBe(allowed ? origin : undefined);
});
