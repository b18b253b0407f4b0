import { expect, test } from "vitest";
import { readSettings } from "../../../../infra/settings/settings.ts";

const issuer = { issuer: "https://issuer.example", jwksUri: "https://issuer.example/jwks", audiences: ["assay"] };
const restored = "arn:aws:dynamodb:eu-central-1:123456789012:table/restored";

test.each<[Record<string, unknown>, string]>([
  [
    { warmThroughput: { rows: { readUnitsPerSecond: 12_000, writeUnitsPerSecond: 3999 } } },
    "The setting warmThroughput.rows.writeUnitsPerSecond must be a whole number from 4000 to 10000000; it is 3999.",
  ],
  [
    { warmThroughput: { rows: { readUnits: 20_000 } } },
    "The setting warmThroughput.rows.readUnitsPerSecond is missing.",
  ],
  [{ tableClass: { bodies: "IA" } }, "must be STANDARD or STANDARD_INFREQUENT_ACCESS"],
  [
    { judgeModel: "openai/gpt-99", projectMonthlyCostCeilingUsd: 10 },
    "The setting judgeModel is openai/gpt-99, whose price is not known, so that projectMonthlyCostCeilingUsd would refuse its runs: add openai/gpt-99 to the setting prices.",
  ],
  [
    { judgeModel: "openai/gpt-6-lunna" },
    "The setting judgeModel names the model openai/gpt-6-lunna, whose price is not known; did you mean openai/gpt-6-luna? If the name is right, list it in judgeModels or give it a price in prices.",
  ],
  [
    { judgeModel: "openrouter/vendor/unlisted" },
    "judgeModel names the model openrouter/vendor/unlisted, whose price is",
  ],
  [{ efforts: { "openai/gpt-6-lunna": "low" } }, "The setting efforts names the model openai/gpt-6-lunna, whose price"],
  [
    { transcripts: { pictures: { "openai/gpt-6-lunna": 4 } } },
    "The setting transcripts names the model openai/gpt-6-lunna",
  ],
  [
    { embeddingModel: "openai/text-embedding-3-smal" },
    "embeddingModel names the model openai/text-embedding-3-smal, whose",
  ],
  [
    { judgeTier: "flex", judgeModel: "anthropic/claude-haiku-5-5" },
    "The setting judgeTier is flex, which is not sold for the judgeModel anthropic/claude-haiku-5-5: remove it, or name",
  ],
  [{ judgeTier: "flex", judgeModel: "custom/llama" }, "The setting judgeTier is flex, which is not sold for"],
  [
    { prices: { "openai/gpt-6-luna": { input: 0, output: 0 } } },
    "The setting prices has input and output 0 for openai/gpt-6-luna, whose provider charges, so that no ceiling would",
  ],
  [{ prices: { "bedrock/a.b": { input: 1, output: 0 } } }, "The setting prices has output 0 for bedrock/a.b"],
  [
    { prices: { "openai/gpt-6-luna": { input: 1e-7, output: 4e-7 } } },
    "must be US dollars per million tokens, not per token; it is 1e-7.",
  ],
  [
    { tracePrices: [{ model: "llama-*", input: 1, output: 6e-4 }] },
    "output must be US dollars per million tokens, not",
  ],
  [{ judgeModel: "openai/gpt-6-luna " }, "The setting judgeModel must not contain blanks"],
  [{ judgeModels: ["priced", "opnai/*"] }, "judgeModels names the provider opnai, which does not exist; did you mean"],
  [{ efforts: { "opnai/gpt-5.4": "low" } }, "efforts names the provider opnai, which does not exist; did you mean"],
  [{ embeddingModel: "openai/gpt-6-luna" }, "The setting embeddingModel is openai/gpt-6-luna, a chat model"],
  [{ providers: { openai: { baseUrl: "/team/url" } } }, "The setting providers.openai has no key"],
  [{ providers: { custom: {} } }, "The setting providers.custom has no baseUrl"],
  [{ providers: { openai: { key: "/team/openai", baseUrl: "/team/openai" } } }, "names one parameter, /team/openai"],
  [
    { tracePrices: ["llama-*", "LLAMA-*"].map((model) => ({ model, input: 1, output: 1 })) },
    "The setting tracePrices has two prices for llama-*: one would be ignored.",
  ],
  [{ jwt: { ...issuer, issuer: "https://issuer.example " } }, "jwt.issuer must not begin or end with a blank"],
  [{ jwt: { ...issuer, issuer: "https://issuer. example" } }, "jwt.issuer must not contain blanks"],
  [{ jwt: { ...issuer, audiences: [" assay"] } }, "jwt.audiences.0 must not begin or end with a blank"],
  [
    { jwt: { ...issuer, jwksUri: "https://issuer.example/.well-known/openid-configuration" } },
    "The setting jwt.jwksUri must be the address of the keys: the discovery document has it as jwks_uri",
  ],
  [{ jwt: { ...issuer, jwksUri: "https://me:secret@issuer.example/jwks" } }, "jwksUri must not contain credentials"],
  [
    { jwt: { ...issuer, emailVerifiedClaim: "verified", emailsVerified: true } },
    "The setting jwt.emailVerifiedClaim has no effect if emailsVerified is true",
  ],
  [
    { organizationCreators: { emailDomains: ["example.com"] } },
    "The setting organizationCreators requires jwt: without an issuer no user signs in.",
  ],
  [{ jwt: issuer, organizationCreators: { claims: {} } }, "The setting organizationCreators.claims must name a claim"],
  [{ moreAlarms: true, alarms: ["OperationsLag"] }, "The setting moreAlarms has no effect, since alarms lists"],
  [{ alarms: ["NotificationsDeadLettersNotEmpty"] }, "DeadLettersNotEmpty, which needs the setting notifications"],
  [
    { judgeModel: "openai/text-embedding-3-small" },
    "The setting judgeModel is openai/text-embedding-3-small, an embedding model",
  ],
  [{ prices: { "custom/*": { input: 1, output: 1 } } }, "must have the form <provider>/<model>, without *"],
  [{ traceStartsFrom: "2999-01-01" }, "The setting traceStartsFrom is 2999-01-01, in the future"],
  [
    { allowedAddresses: ["10.0.0.0/8", "fd00::/8"] },
    "The setting allowedAddresses has private addresses only, and endpointType is regional",
  ],
  [{ allowedAddresses: ["fe80::1%eth0"] }, "must be an IP address or a CIDR block"],
  [
    { judgeNetwork: { subnetIds: ["subnet-01234567"], securityGroupIds: ["sg-01234567", "sg-01234567"] } },
    "The setting judgeNetwork.securityGroupIds must not name one twice",
  ],
  [
    {
      judgeNetwork: {
        subnetIds: Array.from({ length: 17 }, (_, at) => `subnet-012345${at + 10}`),
        securityGroupIds: ["sg-01234567"],
      },
    },
    "The setting judgeNetwork.subnetIds must have 16 at most",
  ],
  [{ tags: { Stage: "x" } }, "The setting tags.Stage is the stack's own"],
  [{ tags: { Team: "a", team: "b" } }, "The setting tags must not have two tags whose names differ by case only"],
  [
    { restoredTables: { dev: { bodies: restored } }, tableClass: { bodies: "STANDARD_INFREQUENT_ACCESS" } },
    "The setting tableClass.bodies has no effect on a table of restoredTables",
  ],
  [
    {
      alarmTopicArn: "arn:aws:sns:us-west-2:123456789012:operators",
      restoredTables: { dev: { bodies: restored } },
    },
    "The setting restoredTables.bodies is in eu-central-1, and alarmTopicArn in us-west-2: a deployment uses resources of its own Region.",
  ],
])("the setting %j, which cannot work, is refused in one sentence", (context, sentence) => {
  expect(() => readSettings(context)).toThrow(sentence);
});

test("a resource of another Region than the deployment's is refused", () => {
  const alarmTopicArn = "arn:aws:sns:us-west-2:123456789012:operators";
  const inRegion = (region: string) => readSettings({ alarmTopicArn }, { region });

  expect(() => inRegion("eu-central-1")).toThrow(
    "The setting alarmTopicArn is in us-west-2, and this deployment in eu-central-1: a deployment uses resources of its own Region.",
  );
  expect(inRegion("us-west-2")).toMatchObject({ alarmTopicArn });
});

test.each<Record<string, unknown>>([
  { judgeModel: "custom/llama", judgeTier: "standard", prices: { "custom/llama": { input: 0, output: 0 } } },
  { judgeModel: "bedrock/arn:aws:bedrock:x", providers: { bedrock: {} }, judgeModels: ["priced", "bedrock/*"] },
  { judgeModel: "openrouter/vendor/new", prices: { "openrouter/vendor/new": { input: 0.001, output: 1 } } },
  { judgeModel: "openrouter/vendor/new:free", prices: { "openrouter/vendor/new:free": { input: 0, output: 0 } } },
  { judgeModel: "openai/gpt-6-luna", judgeModels: ["anthropic/*"], judgeTier: "flex" },
  {
    judgeModel: "openai/own",
    providers: { openai: { key: "/a/key", baseUrl: "/a/url" } },
    efforts: { "openai/own": "low" },
  },
  { embeddingModel: "bedrock/amazon.titan-embed-text-v2:0", providers: { bedrock: {} } },
  { prices: { "openai/text-new": { input: 0.02, output: 0 } }, embeddingModel: "openai/text-new" },
  { tracePrices: [{ model: "own-*", input: 0, output: 0 }] },
])("the setting %j, which may be meant, is accepted", (context) => {
  expect(readSettings(context)).toMatchObject({ stage: "dev" });
});
