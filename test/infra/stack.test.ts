import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { App, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { beforeAll, expect, test } from "vitest";
import { Api } from "../../infra/api.ts";
import { Data } from "../../infra/data.ts";
import { DeadLetters } from "../../infra/dead-letters.ts";
import { Monitoring } from "../../infra/monitoring.ts";
import { readSettings } from "../../infra/settings.ts";
import type { Route } from "../../lib/contract/route.ts";
import { routes } from "../../lib/contract/routes.ts";
import { statements } from "./policies.ts";
import { fixtureBundles, handlers, synthesize, temporaryDirectory } from "./synthesize.ts";

let template: Template;
beforeAll(() => {
  ({ template } = synthesize());
});

const count = (from: Template): number => Object.keys(from.toJSON().Resources).length;
const size = (from: Template): number => Buffer.byteLength(JSON.stringify(from.toJSON()));

/** The API as it will be: 70 endpoints in 8 resources. */
const projected = (): Template => {
  const app = new App({ outdir: temporaryDirectory() });
  const stack = new Stack(app, "projected");
  const model = routes.find(({ streams }) => streams);
  const many = Array.from({ length: 70 }, (_, index): Route => {
    const route = model ?? routes[0];
    if (route === undefined) throw new Error("There are no routes.");
    const segment = index < 45 ? "evaluations" : `resource${index % 7}`;
    return {
      ...route,
      id: `endpoint${index}`,
      path: `/${segment}/thing${index}/{id}`,
      limitPerMinute: 10,
    };
  });
  const ground = { settings: readSettings(app.node), data: new Data(stack, "Data"), bundles: fixtureBundles() };
  const monitoring = new Monitoring(stack, "Monitoring", ground, new DeadLetters(stack, "Dead", "Nothing.").queue);
  expect(new Api(stack, "Api", ground, many, monitoring).rest).toBeDefined();
  return Template.fromStack(stack);
};

test("the stack stays far below CloudFormation's 500 resources, with 70 endpoints too", () => {
  const future = projected();
  const beyondTheApi =
    count(template) - Object.keys(template.toJSON().Resources).filter((id) => /^(Api|Data)/u.test(id)).length;

  expect(count(template)).toBeLessThan(500);
  expect(count(future) + beyondTheApi).toBeLessThan(400);
});

test("with 70 endpoints the template and the largest policy stay within what AWS takes", () => {
  const future = projected();
  const longest = Math.max(
    ...Object.values(
      Map.groupBy(statements(future), ({ role }) => role)
        .values()
        .toArray(),
    ).map(
      (all) =>
        // An ARN takes about 100 characters where the template has a reference to it.
        JSON.stringify(all).replaceAll(/\{"Fn::GetAtt":\[[^\]]+\]\}/gu, "x".repeat(110)).length,
    ),
  );

  expect(size(future)).toBeLessThan(800_000);
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
  expect(synthesize().template.toJSON()).toEqual(template.toJSON());
});

test("the template holds no account, no region and nothing that looks like a secret", () => {
  const text = JSON.stringify(template.toJSON());

  expect(text).not.toMatch(/"[^"]*\b\d{12}\b[^"]*"|\b(?:us|eu|ap)-[a-z]+-\d\b/u);
  expect(text).not.toMatch(/sk[-_][A-Za-z0-9]|AKIA|BEGIN [A-Z ]*PRIVATE KEY|password/iu);
});

test("bearer tokens are a matter of the authorizer alone, and only when they are set up", () => {
  const jwt = { issuer: "https://issuer.example", jwksUri: "https://issuer.example/jwks", audiences: ["assay"] };
  const withTokens = synthesize({ jwt }).template.findResources("AWS::Lambda::Function");
  const told = Object.entries(withTokens).filter(([, { Properties }]) => Properties.Environment.Variables.JWT_SETTINGS);

  expect(told.map(([id]) => id)).toEqual([expect.stringMatching(/^ApiAuthorizer/u)]);
  expect(JSON.parse(told[0]?.[1].Properties.Environment.Variables.JWT_SETTINGS)).toEqual(jwt);
  expect(JSON.stringify(template.toJSON())).not.toContain("JWT_SETTINGS");
});

test("the outputs tell where to call and which table the first key goes to", () => {
  expect(Object.keys(template.findOutputs("*")).toSorted()).toEqual(["AccessTableName", "ApiUrl"]);
});

test("it synthesizes in an empty environment: no credentials, no profile, no region", () => {
  const home = temporaryDirectory();

  execFileSync(process.execPath, [fileURLToPath(new URL("./fixture-app.ts", import.meta.url))], {
    env: { HOME: home, CDK_OUTDIR: join(home, "cdk.out"), AWS_EC2_METADATA_DISABLED: "true" },
  });

  expect(existsSync(join(home, "cdk.out", "assay-dev.template.json"))).toBe(true);
  expect(handlers.length).toBeGreaterThan(5);
});
