// oxlint-disable-next-line eslint/no-restricted-imports -- the one synthesis of `npm test`
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Template } from "aws-cdk-lib/assertions";
import { beforeAll, expect, test } from "vitest";
import type { Route } from "../../lib/contract/route.ts";
import { judgeMetadata, settingsMetadata } from "../../infra/settings/running-settings.ts";
import { buildMetadata } from "../../infra/supply/build.ts";
import { tableNames } from "../../lib/dynamo/table.ts";
import { routesWithServiceLimit } from "../../lib/contract/limits.ts";
import { createAlert } from "../../lib/contract/monitors/alerts.ts";
import { routes } from "../../lib/contract/routes.ts";
import { everySetting } from "./settings/every-setting.ts";
import { statements } from "./policies.ts";
// oxlint-disable-next-line eslint/no-restricted-imports -- the one synthesis of `npm test`
import { fixtureBuild, handlers, synthesize, synthesizeAnew, temporaryDirectory } from "./synthesize.ts";
import { compileCache } from "../support/vitest/compile-cache.ts";

let now: ReturnType<typeof synthesize>;
let grown: ReturnType<typeof synthesize>;
let template: Template;
beforeAll(() => {
  now = synthesize();
  grown = synthesizeAnew(everySetting, [...routes, ...additionalRoutes]);
  ({ template } = now);
});

const count = (from: Template): number => Object.keys(from.toJSON().Resources).length;

const duplicateOf = (route: Route): Route => ({ ...route, id: `${route.id}Again`, path: `${route.path}/again` });

/** Sixty additional endpoints with permissions that others have, most of them in the resource that has most. */
const additionalRoutes: readonly Route[] = routes
  .filter(
    ({ id, answeredBy, callsJudges }) =>
      answeredBy === undefined &&
      // Its function answers the test of an alert too, which publishes events.
      id !== createAlert.id &&
      callsJudges === undefined &&
      !routesWithServiceLimit.has(id),
  )
  .toSorted((a, b) => Number(b.path.startsWith("/evaluations/")) - Number(a.path.startsWith("/evaluations/")))
  .slice(0, 60)
  .map(duplicateOf);

test.each<[string, () => ReturnType<typeof synthesize>]>([
  ["the template", () => now],
  ["the template with every setting on and sixty endpoints more", () => grown],
])("%s stays far below CloudFormation's 500 resources and 1 MB, as the uploaded file", (_, synthesized) => {
  const { template, file } = synthesized();

  expect(count(template)).toBeLessThanOrEqual(470);
  expect(statSync(file).size).toBeLessThanOrEqual(950_000);
  expect(readFileSync(file, "utf8")).toBe(JSON.stringify(template.toJSON()));
});

test("an endpoint whose permissions another one has costs one resource: its function", () => {
  expect(additionalRoutes).toHaveLength(60);
  expect(count(grown.template) - count(synthesize(everySetting).template)).toBe(60);
});

test("no role's policies exceed the size limit of IAM, even with sixty more endpoints", () => {
  const policies = Map.groupBy(statements(grown.template), ({ role }) => role);
  const longest = Math.max(
    ...policies
      .values()
      // An ARN with its quotes has at most 120 characters, where the template has a reference to it.
      .map(
        (statementsOfRole) =>
          JSON.stringify(statementsOfRole).replaceAll(/\{"Fn::GetAtt":\[[^\]]+\]\}/gu, "x".repeat(120)).length,
      ),
  );

  expect(policies.size).toBeGreaterThan(100);
  expect(longest).toBeLessThan(10_240);
});

const physicalNames = (from: Template): string[] =>
  Object.values<{ Type: string; Properties?: Record<string, unknown> }>(from.toJSON().Resources).flatMap(
    ({ Type, Properties = {} }) =>
      Object.entries(Properties)
        .filter(([key, value]) => /^(?!Metric)\w*Name$/u.test(key) && typeof value === "string")
        .map(([key, value]) => `${Type} ${key} ${String(value)}`),
  );

test("two stages in one account share no name", () => {
  const [first, second] = [
    physicalNames(synthesize({ stage: "blue" }).template),
    physicalNames(synthesize({ stage: "green" }).template),
  ];

  expect(first.length).toBeGreaterThan(0);
  expect(first.filter((name) => second.includes(name))).toEqual([]);
});

test("the same source and settings give the same template", () => {
  expect(synthesizeAnew().template.toJSON()).toEqual(template.toJSON());
});

test("the template holds no account, nothing that looks like a secret, and regions only in a condition", () => {
  const text = JSON.stringify({ ...template.toJSON(), Conditions: {} });

  expect(text).not.toMatch(/"[^"]*\b\d{12}\b[^"]*"|\b(?:us|eu|ap)-[a-z]+-\d\b/u);
  expect(text).not.toMatch(/sk[-_][A-Za-z0-9]|AKIA|BEGIN [A-Z ]*PRIVATE KEY|password/iu);
});

test("the settings of bearer tokens reach the authorizer alone, and only when they are set", () => {
  const jwt = { issuer: "https://issuer.example", jwksUri: "https://issuer.example/jwks", audiences: ["assay"] };
  const withTokens = synthesize({ jwt }).template.findResources("AWS::Lambda::Function");
  const functionsWithJwt = Object.entries(withTokens).filter(
    ([, { Properties }]) => Properties.Environment.Variables.JWT_SETTINGS,
  );

  expect(functionsWithJwt.map(([id]) => id)).toEqual([expect.stringMatching(/^ApiAuthorizer/u)]);
  expect(JSON.parse(functionsWithJwt[0]?.[1].Properties.Environment.Variables.JWT_SETTINGS)).toEqual(jwt);
  expect(JSON.stringify(template.toJSON())).not.toContain("JWT_SETTINGS");
});

test("the authorizer alone knows who may create organizations: everybody, some, or nobody", () => {
  const jwt = { issuer: "https://issuer.example", jwksUri: "https://issuer.example/jwks", audiences: ["assay"] };
  const jwtSettings = (context: Record<string, unknown>) =>
    Object.entries(synthesize({ jwt, ...context }).template.findResources("AWS::Lambda::Function"))
      .map(([id, { Properties }]) => [id, Properties.Environment.Variables.ORGANIZATION_CREATORS])
      .filter(([, rules]) => rules !== undefined);
  const organizationCreators = { emailDomains: ["example.com"] };
  const authorizer = expect.stringMatching(/^ApiAuthorizer/u);

  expect(jwtSettings({})).toEqual([]);
  expect(jwtSettings({ organizationCreators })).toEqual([[authorizer, JSON.stringify(organizationCreators)]]);
  expect(jwtSettings({ organizationCreators, maxOwnedOrganizations: 0 })).toEqual([[authorizer, "{}"]]);
});

test("the outputs contain the service's address, its build, and the name of each table", () => {
  expect(Object.keys(template.findOutputs("*")).toSorted()).toEqual(
    [
      "ApiUrl",
      "Commit",
      "LakeBucket",
      "Version",
      ...tableNames.map((name) => `${name[0]?.toUpperCase()}${name.slice(1)}TableName`),
    ].toSorted(),
  );
});

test("the template records the explicit settings and the default judge, and nothing else", () => {
  expect(template.toJSON().Metadata).toEqual({
    [buildMetadata]: fixtureBuild,
    [settingsMetadata]: "{}",
    [judgeMetadata]: "openai/gpt-6-luna",
  });
  expect(synthesize({ retentionDays: "30", stage: "blue" }).template.toJSON().Metadata).toEqual({
    [buildMetadata]: fixtureBuild,
    [settingsMetadata]: '{"retentionDays":30}',
    [judgeMetadata]: "openai/gpt-6-luna",
  });
});

test("it synthesizes in an empty environment: no credentials, no profile, no region", () => {
  const home = temporaryDirectory();

  execFileSync(process.execPath, [fileURLToPath(new URL("./fixture-app.ts", import.meta.url))], {
    env: { HOME: home, CDK_OUTDIR: join(home, "cdk.out"), AWS_EC2_METADATA_DISABLED: "true", ...compileCache },
  });

  expect(existsSync(join(home, "cdk.out", "assay-dev.template.json"))).toBe(true);
  expect(handlers.length).toBeGreaterThan(5);
});
