import { App } from "aws-cdk-lib";
import { expect, test } from "vitest";
import { readSettings } from "../../infra/settings/settings.ts";

const read = (context: Record<string, unknown> = {}) => readSettings(new App({ context }).node);

test("without any context the service is a dev stage with OpenAI as its judge", () => {
  expect(read()).toEqual({
    stage: "dev",
    judgeModel: "openai/gpt-5.4-mini",
    providers: {
      openai: { key: "/assay/dev/judge/openai/key", baseUrl: "/assay/dev/judge/openai/base-url" },
      anthropic: { key: "/assay/dev/judge/anthropic/key" },
      gemini: { key: "/assay/dev/judge/gemini/key" },
      vertex_ai: { key: "/assay/dev/judge/vertex_ai/key", baseUrl: "/assay/dev/judge/vertex_ai/base-url" },
      openrouter: { key: "/assay/dev/judge/openrouter/key" },
      custom: { key: "/assay/dev/judge/custom/key", baseUrl: "/assay/dev/judge/custom/base-url" },
    },
    prices: {},
    judgeMaxConcurrency: 5,
    judgeCallsPerWorker: 20,
    retentionDays: 0,
    limits: {},
    restoredTables: {},
    limitFactor: 1,
    maxTargetsPerRun: 100_000,
    maxTargetsPerBatch: 10_000,
    maxProjectsPerOrganization: 100_000,
    maxOwnedOrganizations: 2,
    moreAlarms: false,
    gatewayLogRole: false,
    logRetentionDays: 30,
  });
});

test("settings mean the same as text from the command line and as JSON from cdk.json", () => {
  const jwt = { issuer: "https://issuer.example", jwksUri: "https://issuer.example/jwks", audiences: ["assay"] };

  expect(
    read({ judgeMaxConcurrency: "7", limitFactor: "2.5", gatewayLogRole: "true", jwt: JSON.stringify(jwt) }),
  ).toEqual(read({ judgeMaxConcurrency: 7, limitFactor: 2.5, gatewayLogRole: true, jwt }));
});

test("a provider that is named is added to the others or named anew", () => {
  const { providers } = read({ providers: { bedrock: {}, gemini: { key: "/team/gemini" } } });

  expect(providers).toMatchObject({
    openai: { key: "/assay/dev/judge/openai/key" },
    bedrock: {},
    gemini: { key: "/team/gemini" },
  });
});

test("the offline judge is known to the local stage only", () => {
  expect(read({ stage: "local" }).providers).toHaveProperty("offline");
  expect(read({ stage: "prod" }).providers).not.toHaveProperty("offline");
});

test("a text that looks like a number stays a stage or a model, not a number", () => {
  expect(() => read({ stage: "7" })).toThrow("The setting stage must be 1 to 20 lower-case letters");
});

test.each([
  [{ stage: "v1" }, 'The setting stage must not be named like a version; it is "v1".'],
  [
    { stage: "Prod" },
    'The setting stage must be 1 to 20 lower-case letters, digits and hyphens, a letter first; it is "Prod".',
  ],
  [{ judgeMaxConcurrency: 1 }, "The setting judgeMaxConcurrency must be a whole number from 2 to 1000; it is 1."],
  [
    { judgeMaxConcurrency: "many" },
    'The setting judgeMaxConcurrency must be a whole number from 2 to 1000; it is "many".',
  ],
  [{ judgeCallsPerWorker: 21 }, "The setting judgeCallsPerWorker must be a whole number from 1 to 20; it is 21."],
  [{ retentionDays: -1 }, "The setting retentionDays must be a whole number from 0 to 3650; it is -1."],
  [
    { traceStartsFrom: "yesterday" },
    'The setting traceStartsFrom must be a date such as 2000-01-01; it is "yesterday".',
  ],
  [{ traceStartsAheadHours: 0 }, "The setting traceStartsAheadHours must be a whole number from 1 to 87600; it is 0."],
  [{ limitFactor: 0 }, "The setting limitFactor must be a number above 0, at most 1000; it is 0."],
  [{ moreAlarms: "all" }, 'The setting moreAlarms must be true or false; it is "all".'],
  [{ logRetentionDays: 31 }, "The setting logRetentionDays must be a number of days that CloudWatch Logs can keep"],
  [{ gatewayLogRole: "yes" }, 'The setting gatewayLogRole must be true or false; it is "yes".'],
  [{ alarmEmail: "nobody" }, 'The setting alarmEmail must be an e-mail address; it is "nobody".'],
  [{ judgeModel: "mini" }, 'The setting judgeModel must have the form <provider>/<model>; it is "mini".'],
  [{ jwt: "issuer" }, 'The setting jwt is missing or not an object; it is "issuer".'],
  [
    { jwt: { issuer: "x", jwksUri: "https://x", audiences: [] } },
    "The setting jwt.audiences must name at least one audience",
  ],
  [
    { jwt: { issuer: "x", jwksUri: "http://issuer.example/jwks", audiences: ["a"] } },
    'The setting jwt.jwksUri must be an https URL; it is "http://issuer.example/jwks".',
  ],
  [
    { providers: { openai: { key: "sk-123" } } },
    "The setting providers.openai.key must be the name of an SSM parameter",
  ],
  [{ providers: { openai: { secret: "/a" } } }, "The setting providers.openai.secret is not a setting"],
  [{ providers: { opnai: { key: "/a" } } }, 'The setting providers.opnai is not a provider; it is "opnai".'],
  [{ embeddingModel: "words" }, 'The setting embeddingModel must have the form <provider>/<model>; it is "words".'],
  [{ monthlyCostCeilingUsd: 0 }, "The setting monthlyCostCeilingUsd must be a number of US dollars above 0; it is 0."],
  [
    { projectMonthlyCostCeilingUsd: "much" },
    'The setting projectMonthlyCostCeilingUsd must be a number of US dollars above 0; it is "much".',
  ],
  [
    { prices: { "custom/llama": { input: -1, output: 1 } } },
    "The setting prices.custom/llama.input must not be negative; it is -1.",
  ],
  [{ prices: { llama: { input: 1, output: 1 } } }, "The setting prices.llama must have the form <provider>/<model>"],
  [{ prices: { "custom/llama": { input: 1 } } }, "The setting prices.custom/llama.output is missing or not an object"],
  [
    { prices: { "custom/llama": { input: 1, output: 1, per: 2 } } },
    "The setting prices.custom/llama.per is not a price",
  ],
  [{ retentionDay: 30 }, "There is no setting retentionDay."],
])("the setting %j is refused in one sentence that names it", (context, sentence) => {
  expect(() => read(context)).toThrow(sentence);
});

test("all faults are told at once", () => {
  expect(() => read({ stage: "v1", retentionDays: 1.5 })).toThrow(/stage[^\n]+\n.*retentionDays/u);
});

test("what the toolkit itself puts into the context is no setting", () => {
  expect(read({ "aws:cdk:enable-path-metadata": true, "cli-telemetry": false })).toMatchObject({ stage: "dev" });
});
