import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { connectors } from "../../../../lib/judge/providers/connections.ts";
import { providersWithoutEmbeddings } from "../../../../infra/settings/judge-conflicts.ts";
import { readSettings, settingNames } from "../../../../infra/settings/settings.ts";
import { everySetting } from "../../settings/every-setting.ts";

const settingsOf = (context: Record<string, unknown> = {}, file: Record<string, unknown> = {}) =>
  readSettings(context, { file });

test("without any context the service is a dev stage with OpenAI as its judge", () => {
  expect(settingsOf()).toEqual({
    stage: "dev",
    judgeModel: "openai/gpt-6-luna",
    judgeModels: ["priced", "offline/rules", "custom/*", "systemone/*"],
    judgeTier: "standard",
    providers: {
      openai: { key: "/assay/dev/judge/openai/key", baseUrl: "/assay/dev/judge/openai/base-url" },
      anthropic: { key: "/assay/dev/judge/anthropic/key" },
      gemini: { key: "/assay/dev/judge/gemini/key" },
      vertex_ai: { key: "/assay/dev/judge/vertex_ai/key", baseUrl: "/assay/dev/judge/vertex_ai/base-url" },
      openrouter: { key: "/assay/dev/judge/openrouter/key" },
      custom: { key: "/assay/dev/judge/custom/key", baseUrl: "/assay/dev/judge/custom/base-url" },
      "openai-decisions": { key: "/assay/dev/judge/openai/key", baseUrl: "/assay/dev/judge/openai/base-url" },
      systemone: { key: "/assay/dev/judge/systemone/key", baseUrl: "/assay/dev/judge/systemone/base-url" },
    },
    prices: {},
    tracePrices: [],
    judgeMaxConcurrency: 5,
    judgeCallsPerWorker: 20,
    retentionDays: 0,
    limits: {},
    tableProtection: true,
    restoredTables: {},
    limitFactor: 1,
    organizationLimitFactor: 10,
    organizationLimits: {},
    requestsPerSecond: 1000,
    maxTargetsPerRun: 100_000,
    maxTargetsPerBatch: 10_000,
    maxMonitorsPerProject: 100,
    maxMetricsPerProject: 100,
    maxPreviewsPerDay: 500,
    maxProjectsPerOrganization: 100_000,
    maxOwnedOrganizations: 2,
    moreAlarms: false,
    gatewayLogRole: false,
    accessLogs: false,
    pointInTimeRecovery: {},
    tableClass: {},
    warmThroughput: {},
    endpointType: "regional",
    allowedOrigins: [],
    defaultAddress: true,
    tags: {},
    auditDeletions: true,
    logRetentionDays: 30,
    explicitSettings: {},
  });
});

test("settings have the same meaning as text from the command line and as JSON from cdk.json", () => {
  const jwt = { issuer: "https://issuer.example", jwksUri: "https://issuer.example/jwks", audiences: ["assay"] };

  expect(
    settingsOf({ judgeMaxConcurrency: "7", limitFactor: "2.5", gatewayLogRole: "true", jwt: JSON.stringify(jwt) }),
  ).toEqual(settingsOf({ judgeMaxConcurrency: 7, limitFactor: 2.5, gatewayLogRole: true, jwt }));
});

test("a provider in a setting is added to the others or replaces one of its name", () => {
  const { providers } = settingsOf({ providers: { bedrock: {}, gemini: { key: "/team/gemini" } } });

  expect(providers).toMatchObject({
    openai: { key: "/assay/dev/judge/openai/key" },
    bedrock: {},
    gemini: { key: "/team/gemini" },
  });
});

test("models behind a base URL that the operator names for OpenAI may be asked, unless other models are listed", () => {
  const providers = { openai: { key: "/team/key", baseUrl: "/team/url" } };

  expect(settingsOf({ providers }).judgeModels).toContain("openai/*");
  expect(settingsOf({ providers, judgeModels: ["priced"] }).judgeModels).toEqual(["priced"]);
});

test("the offline judge is available on the local stage only", () => {
  expect(readSettings({ stage: "local" }, { isLocal: true }).providers).toHaveProperty("offline");
  expect(settingsOf({ stage: "prod" }).providers).not.toHaveProperty("offline");
});

test("a text that looks like a number stays the name of a stage or a model", () => {
  expect(() => settingsOf({ stage: "7" })).toThrow("The setting stage must be 1 to 20 lower-case letters");
});

test.each([
  [{ stage: "v1" }, 'The setting stage must not be named like a version; it is "v1".'],
  [
    { stage: "Prod" },
    'The setting stage must be 1 to 20 lower-case letters, digits and hyphens, starting with a letter; it is "Prod".',
  ],
  [{ judgeMaxConcurrency: 1 }, "The setting judgeMaxConcurrency must be a whole number from 2 to 1000; it is 1."],
  [
    { judgeMaxConcurrency: "many" },
    'The setting judgeMaxConcurrency must be a whole number from 2 to 1000; it is "many".',
  ],
  [{ judgeCallsPerWorker: 21 }, "The setting judgeCallsPerWorker must be a whole number from 1 to 20; it is 21."],
  [{ ingestConcurrency: 8 }, "The setting ingestConcurrency must be a whole number from 9 to 10000; it is 8."],
  [{ retentionDays: -1 }, "The setting retentionDays must be a whole number from 0 to 3650; it is -1."],
  [
    { traceStartsFrom: "yesterday" },
    'The setting traceStartsFrom must be a date such as 2000-01-01; it is "yesterday".',
  ],
  [{ traceStartsAheadHours: 0 }, "The setting traceStartsAheadHours must be a whole number from 1 to 87600; it is 0."],
  [{ limitFactor: 0 }, "The setting limitFactor must be a number from 0.001 to 1000; it is 0."],
  [{ limitFactor: 1e-9 }, "The setting limitFactor must be a number from 0.001 to 1000; it is 1e-9."],
  [{ moreAlarms: "all" }, 'The setting moreAlarms must be true or false; it is "all".'],
  [{ logRetentionDays: 31 }, "The setting logRetentionDays must be a number of days that CloudWatch Logs can keep"],
  [{ gatewayLogRole: "yes" }, 'The setting gatewayLogRole must be true, false or the ARN of a role; it is "yes".'],
  [{ alarmEmail: "nobody" }, 'The setting alarmEmail must be an e-mail address; it is "nobody".'],
  [{ judgeModel: "mini" }, 'The setting judgeModel must have the form <provider>/<model>; it is "mini".'],
  [{ judgeModels: [] }, "The setting judgeModels must not be empty"],
  [{ judgeModels: ["mini"] }, "The setting judgeModels.0 must be priced or have the form <provider>/<model>"],
  [{ jwt: "issuer" }, 'The setting jwt must be an object; it is "issuer".'],
  [
    { jwt: { issuer: "x", jwksUri: "https://x", audiences: [] } },
    "The setting jwt.audiences must name at least one audience",
  ],
  [
    { jwt: { issuer: "x", jwksUri: "http://issuer.example/jwks", audiences: ["a"] } },
    'The setting jwt.jwksUri must be an https URL; it is "http://issuer.example/jwks".',
  ],
  [
    { jwt: { issuer: "urn:x", jwksUri: "https://x/jwks", audiences: ["a"], clientId: "console" } },
    "The setting jwt.issuer must be an https URL if clientId is set",
  ],
  [
    { jwt: { issuer: "https://x", jwksUri: "https://x/jwks", audiences: ["a"], tokenOrigin: "https://y" } },
    "The setting jwt.tokenOrigin requires a clientId",
  ],
  [
    {
      jwt: { issuer: "https://x", jwksUri: "https://x", audiences: ["a"], clientId: "c", tokenOrigin: "https://y/t" },
    },
    "The setting jwt.tokenOrigin must be an https origin such as https://example.com",
  ],
  [{ organizationCreators: {} }, "The setting organizationCreators must have claims or emailDomains"],
  [{ organizationCreators: { claim: { a: ["b"] } } }, "claim is not a setting (did you mean claims?)"],
  [{ organizationCreators: { emailDomains: ["@example.com"] } }, "must be a domain in lower case, such as example.com"],
  [{ maxOwnedOrganizations: -1 }, "The setting maxOwnedOrganizations must be a whole number from 0 to 10000"],
  [{ jwt: [] }, "The setting jwt must name at least one issuer"],
  [
    { jwt: ["https://a", "https://a"].map((issuer) => ({ issuer, jwksUri: "https://x/jwks", audiences: ["a"] })) },
    "The setting jwt must not name an issuer twice",
  ],
  [
    { jwt: { issuer: "x", jwksUri: "https://x", audiences: ["a"], audience_claim: "azp" } },
    "The setting jwt.audience_claim is not a setting (did you mean audienceClaim?)",
  ],
  [
    { providers: { openai: { key: "sk-123" } } },
    /^The setting providers\.openai\.key must be the name of an SSM parameter, such as \/assay\/prod\/key\.$/u,
  ],
  [{ providers: { openai: { secret: "/a" } } }, "The setting providers.openai.secret is not a setting"],
  [{ providers: { opnai: { key: "/a" } } }, 'The setting providers.opnai is not a provider; it is "opnai".'],
  [{ embeddingModel: "words" }, 'The setting embeddingModel must have the form <provider>/<model>; it is "words".'],
  [{ monthlyCostCeilingUsd: 0 }, "The setting monthlyCostCeilingUsd must be a number of US dollars above 0; it is 0."],
  [
    { monthlyCostCeilingUsd: "1e400" },
    /^The setting monthlyCostCeilingUsd must be at most 1000000000; it is Infinity\.$/u,
  ],
  [
    { projectMonthlyCostCeilingUsd: "much" },
    'The setting projectMonthlyCostCeilingUsd must be a number of US dollars above 0; it is "much".',
  ],
  [
    { prices: { "custom/llama": { input: -1, output: 1 } } },
    /^The setting prices\.custom\/llama\.input must not be negative; it is -1\.$/u,
  ],
  [{ prices: { llama: { input: 1, output: 1 } } }, "The setting prices.llama must have the form <provider>/<model>"],
  [{ prices: { "custom/llama": { input: 1 } } }, "The setting prices.custom/llama.output is missing."],
  [
    { prices: { "custom/llama": { input: 1, output: 1, per: 2 } } },
    "The setting prices.custom/llama.per is not a price",
  ],
  [{ tracePrices: {} }, "The setting tracePrices must be a list; it is {}."],
  [{ tracePrices: [{ model: "x", input: 1 }] }, "The setting tracePrices.0.output is missing."],
  [
    { tracePrices: [{ model: "x", input: 1, output: 1, from: "soon" }] },
    'The setting tracePrices.0.from must be a date such as 2026-11-21; it is "soon".',
  ],
  [
    { tracePrices: [{ model: "x", input: 1, output: 1, per: 2 }] },
    "The setting tracePrices.0.per is not part of a price",
  ],
  [{ tracePrices: [{ model: " ", input: 1, output: 1 }] }, "The setting tracePrices.0.model must be a model's name"],
  [
    { transcripts: { characters: { "custom/llama": 100 } } },
    "The setting transcripts.characters.custom/llama must be a whole number from 5000 to 4000000; it is 100.",
  ],
  [
    { transcripts: { characters: { llama: 60_000 } } },
    "The setting transcripts.characters.llama must be default or have the form <provider>/<model>",
  ],
  [
    { dialects: { custom: { answerFormat: "xml" } } },
    "The setting dialects.custom.answerFormat must be one of json_schema, json_object, text",
  ],
  [{ dialects: { anthropic: {} } }, "The setting dialects.anthropic is not a provider with a configurable dialect"],
  [
    { efforts: { "openai/gpt-5.4": "Very hard" } },
    "The setting efforts.openai/gpt-5.4 must be a word such as low, medium or high",
  ],
  [
    { transcripts: { pictures: { "openai/gpt-5.4": 9 } } },
    "The setting transcripts.pictures.openai/gpt-5.4 must be a whole number from 0 to 8; it is 9.",
  ],
  [
    { transcripts: { leastCoverage: 2 } },
    "The setting transcripts.leastCoverage must be a number from 0 to 1; it is 2.",
  ],
  [{ transcripts: { budget: 1 } }, "The setting transcripts.budget is not a setting"],
  [{ retentionDay: 30 }, "There is no setting retentionDay; did you mean retentionDays?"],
  [{ retention_days: 30 }, "There is no setting retention_days; did you mean retentionDays?"],
  [{ "alarm-email": "a@b.example" }, 'There is no setting "alarm-email"; did you mean alarmEmail?'],
  [{ "stage ": "prod" }, 'There is no setting "stage "; did you mean stage?'],
  [{ colour: "blue" }, "There is no setting colour; known are: stage, jwt, judgeModel,"],
  [{ endpointType: "edge" }, 'The setting endpointType must be regional or private; it is "edge".'],
  [{ endpointType: "private" }, "set vpcEndpointIds to the VPC endpoints that reach the API"],
  [{ vpcEndpointIds: ["vpce-0123456789abcdef0"] }, "The setting vpcEndpointIds requires endpointType private."],
  [{ defaultAddress: false }, "The setting defaultAddress is false and the setting domain is missing"],
  [{ allowedAddresses: ["10.0.0.0/33"] }, "must be an IP address or a CIDR block, such as 203.0.113.0/24"],
  [{ allowedAddresses: ["localhost"] }, "must be an IP address or a CIDR block"],
  [{ allowedAddresses: [] }, "The setting allowedAddresses must not be empty"],
  ...[
    "https://*.example.com",
    "http://app.example.com",
    "https://app.example.com/",
    "https://app.example.com:*",
    "*",
  ].map((origin): [Record<string, unknown>, string] => [
    { allowedOrigins: [origin] },
    "must be an origin such as https://app.example.com",
  ]),
  [{ judgeNetwork: { subnetIds: ["subnet-1"] } }, "must be the id of a subnet"],
  [
    { domain: { name: "Example.com", certificateArn: "x" } },
    "The setting domain.name must be a domain name in lower case",
  ],
  [
    { permissionsBoundary: "boundary" },
    'The setting permissionsBoundary must be the ARN of a policy; it is "boundary".',
  ],
  [{ rolePath: "team" }, 'The setting rolePath must be a path such as /team/; it is "team".'],
  [{ roleNamePrefix: "seventeen-letters" }, "The setting roleNamePrefix must be 1 to 16 letters, digits and hyphens"],
  [{ tags: { stage: "x" } }, "The setting tags.stage is the stack's own"],
  [{ tags: { "aws:x": "y" } }, "must not be empty or begin with aws:"],
  [{ tags: ["x"] }, "The setting tags must be an object"],
  [{ tablesKeyArn: "alias/mine" }, "The setting tablesKeyArn must be the ARN of a KMS key"],
  [{ tableClass: { row: "STANDARD" } }, "The setting tableClass.row is not a table (did you mean rows?)"],
  [{ pointInTimeRecovery: { rows: "no" } }, "The setting pointInTimeRecovery.rows must be true or false"],
  [{ eventBus: "bus with blanks" }, "The setting eventBus must be the name or the ARN of an event bus"],
  [{ prices: { "custom/llama": { input: Infinity, output: 1 } } }, "input must be a finite number"],
  [{ prices: '{"custom/llama": {"input": 1, "output": 1e999}}' }, "output must be a finite number"],
  [{ judgeModel: "offline/rules" }, "The setting judgeModel is offline/rules, which runs on a local machine only"],
  [
    { judgeModel: "opnai/gpt-5.4" },
    "The setting judgeModel names the provider opnai, which does not exist; did you mean openai?",
  ],
  [
    { judgeModel: "acme/large" },
    "The setting judgeModel names the provider acme, which does not exist; known are: openai,",
  ],
  [
    { judgeModel: "bedrock/claude" },
    "The setting judgeModel names the provider bedrock, which is not configured: add it to the setting providers.",
  ],
  [
    { embeddingModel: "anthropic/claude-haiku-4-5" },
    "The setting embeddingModel names the provider anthropic, which has no embeddings.",
  ],
  [
    { monthlyCostCeilingUsd: 10, projectMonthlyCostCeilingUsd: 20 },
    "The setting projectMonthlyCostCeilingUsd is 20, above monthlyCostCeilingUsd, 10: no project could reach it.",
  ],
  [
    { monthlyCostCeilingUsd: 10, organizationMonthlyCostCeilingUsd: 20 },
    "The setting organizationMonthlyCostCeilingUsd is 20, above monthlyCostCeilingUsd, 10: no organization could reach it.",
  ],
  [
    { monthlyCostCeilingUsd: 50, organizationMonthlyCostCeilingUsd: 20, projectMonthlyCostCeilingUsd: 30 },
    "The setting projectMonthlyCostCeilingUsd is 30, above organizationMonthlyCostCeilingUsd, 20: no project could reach it.",
  ],
  [
    { maxTargetsPerRun: 500, maxTargetsPerBatch: 501 },
    "The setting maxTargetsPerBatch is 501, above maxTargetsPerRun, 500: the targets of a list become one run.",
  ],
  [{ stage: "local" }, "The stage name local is reserved for npm start: choose another name."],
])("the setting %j is refused in one sentence that names it", (context, sentence) => {
  expect(() => settingsOf(context)).toThrow(sentence);
});

test("all errors are reported at once", () => {
  expect(() => settingsOf({ stage: "v1", retentionDays: 1.5 })).toThrow(/stage[^\n]+\n.*retentionDays/u);
});

test("context of the CDK toolkit itself is no setting", () => {
  expect(settingsOf({ "aws:cdk:enable-path-metadata": true, "cli-telemetry": false })).toMatchObject({ stage: "dev" });
});

test("settings of the stage's file apply, those of the command line override them, and the explicit ones are recorded", () => {
  const file = { retentionDays: 30, alarmEmail: "team@example.com" };

  expect(settingsOf({ retentionDays: "90" }, file)).toMatchObject({
    retentionDays: 90,
    alarmEmail: "team@example.com",
    explicitSettings: { retentionDays: 90, alarmEmail: "team@example.com" },
  });
});

test("a misspelt setting of the file is refused like one of the command line", () => {
  expect(() => settingsOf({}, { retentiondays: 30 })).toThrow(
    "There is no setting retentiondays; did you mean retentionDays?",
  );
});

test("a lower limit of targets per run lowers the limit of a list of targets", () => {
  expect(settingsOf({ maxTargetsPerRun: 500 })).toMatchObject({ maxTargetsPerBatch: 500 });
  expect(settingsOf()).toMatchObject({ maxTargetsPerBatch: 10_000 });
});

test("providers without embeddings are those without an embeddings endpoint", () => {
  const parts = { now: Date.now, sign: () => Promise.reject(new Error("nothing is sent")), region: "eu-central-1" };
  const key = JSON.stringify({
    client_email: "judge@project.example",
    private_key: generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({
      type: "pkcs8",
      format: "pem",
    }),
    private_key_id: "1",
    project_id: "project",
    token_uri: "https://tokens.example",
  });
  const without = Object.entries(connectors)
    .filter(([, connect]) => connect({ key, baseUrl: "https://example.com" }, parts).embed === null)
    .map(([key]) => key);

  expect(without).toEqual([...providersWithoutEmbeddings]);
});

test("the stage with every setting has every setting, except those that exclude others", () => {
  const excluded = ["endpointType", "vpcEndpointIds", "alarms", "tableProtection", "restoredTables"];

  expect(settingNames.filter((name) => !Object.hasOwn(everySetting, name)).toSorted()).toEqual(excluded.toSorted());
});
