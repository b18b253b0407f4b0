import { spawn, spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { CfnEventSourceMapping } from "aws-cdk-lib/aws-lambda";
import { expect, onTestFinished, test } from "vitest";
import type { Account } from "../../../../infra/deploy/preflight/account.ts";
import { checkAccess, checkAccount } from "../../../../infra/deploy/preflight/preflight.ts";
import { listenOnLoopback } from "../../../../infra/local/host/loopback-server.ts";
import type { RunningStack } from "../../../../infra/settings/running-settings.ts";
import { readSettings } from "../../../../infra/settings/settings.ts";
import type { PlannedStage } from "../../../../infra/settings/stage-settings.ts";
import { buildOutputs, readBuild } from "../../../../infra/supply/build.ts";
import { StreamWorker } from "../../../../infra/functions/stream-worker.ts";
import { tableOutput } from "../../../../infra/table-reference.ts";
import { tableNames, tables, type TableDefinition, type TableName } from "../../../../lib/dynamo/table.ts";
import { synthesize, temporaryDirectory } from "../../synthesize.ts";
import { compileCache } from "../../../support/vitest/compile-cache.ts";

const indexesOf = (name: TableName): readonly string[] => {
  const definition: TableDefinition = tables[name];
  return Object.keys(definition.indexes ?? {});
};

/** Roles of the stack that is to be deployed. */
const plannedRoles = ["RolesA", "RolesB", "RolesC"];

const planned = (context: Record<string, unknown> = {}): PlannedStage => ({
  settings: readSettings({ stage: "prod", ...context }),
  stack: { resources: 300, roles: plannedRoles, memory: {}, warnings: [] },
});

/** An account in which a deployment succeeds, with other answers. */
const accountWith = (answers: Partial<Account> = {}): Account => ({
  region: async () => "eu-central-1",
  id: async () => "123456789012",
  bootstrapVersion: async () => 28,
  concurrency: async () => ({ total: 1000, unreserved: 1000 }),
  requestsPerSecond: async () => 10_000,
  roles: async () => ({ used: 40, quota: 1000 }),
  stackRoles: async () => new Set(plannedRoles),
  parameterTypes: async (names) => new Map(names.map((name) => [name, "SecureString"])),
  indexes: async () => new Map(tableNames.map((name) => [name, indexesOf(name)])),
  ...answers,
});

const runningStack = (explicitSettings: Record<string, unknown> = {}): RunningStack => ({
  kind: "settings",
  explicitSettings,
  judgeModel: "openai/gpt-6-luna",
});

/** Returns the findings that are not `ok`, with their level. */
const problems = async (account: Account, context = {}, running: RunningStack = { kind: "none" }) =>
  (await checkAccount(account, planned(context), running))
    .filter(({ level }) => level !== "ok")
    .map(({ level, sentence }) => `${level}: ${sentence}`);

const refusal = (name: string) => async (): Promise<never> => {
  throw Object.assign(new Error("refused"), { name });
};

test("nothing stops a deployment into an account with room, whether the stage is new or runs", async () => {
  expect(await problems(accountWith())).toEqual([]);
  expect(await problems(accountWith(), {}, runningStack())).toEqual([]);
});

test("without a Region or credentials one sentence says what to set", async () => {
  expect(await checkAccess(accountWith({ region: refusal("Error") }))).toEqual([
    { level: "fault", sentence: expect.stringContaining("set AWS_REGION") },
  ]);
  expect(await checkAccess(accountWith({ id: refusal("ExpiredToken") }))).toEqual([
    { level: "fault", sentence: expect.stringContaining("no valid AWS credentials (ExpiredToken): sign in") },
  ]);
});

test.each<[Partial<Account>, Record<string, unknown>, string]>([
  [
    { bootstrapVersion: async () => null },
    {},
    "fault: This account has no CDK bootstrap stack in this Region: run npx cdk bootstrap aws://123456789012/eu-central-1.",
  ],
  [{ bootstrapVersion: async () => 5 }, {}, "fault: The CDK's bootstrap stack is old: run npx cdk bootstrap"],
  [
    { concurrency: async () => ({ total: 10, unreserved: 10 }) },
    {},
    "note: Lambda runs 10 functions at a time in this account, 10 of them unreserved; 5 judges, as many previews and 16 stream workers could use 26, more than half, and requests then get 5xx: ask AWS",
  ],
  [
    { concurrency: async () => ({ total: 1000, unreserved: 140 }) },
    { authorizerConcurrency: 50 },
    "fault: The setting authorizerConcurrency reserves 50 of 140 unreserved executions, and Lambda keeps 100",
  ],
  [
    { requestsPerSecond: async () => 2500 },
    { requestsPerSecond: 4000 },
    "note: API Gateway admits 2500 requests a second in this account and Region, below the setting requestsPerSecond, 4000",
  ],
  [
    { roles: async () => ({ used: 998, quota: 1000 }) },
    {},
    "fault: The account has 998 of 1000 roles, and the deployment makes 3: delete some, or ask AWS for more",
  ],
  [
    { parameterTypes: async () => new Map() },
    {},
    "note: The parameter /assay/prod/judge/openai/key does not exist, so that runs by openai/gpt-6-luna fail until you store it: aws ssm put-parameter",
  ],
  [
    { parameterTypes: async (names) => new Map(names.map((name) => [name, "String"])) },
    {},
    "note: The parameter /assay/prod/judge/openai/key is a String, which is not encrypted",
  ],
  [{ roles: refusal("AccessDenied") }, {}, "note: The number of roles could not be asked (AccessDenied)."],
])("the answer %o to the settings %j gets one sentence", async (answers, context, sentence) => {
  expect(await problems(accountWith(answers), context)).toEqual([expect.stringContaining(sentence)]);
});

/** An account of which no other stack has reserved anything. */
const accountOf = (total: number, reserved = 0) =>
  accountWith({ concurrency: async () => ({ total, unreserved: total - reserved }) });

const levelsOf = async (account: Account, context: Record<string, unknown>, running?: RunningStack) =>
  (await problems(account, context, running)).map((line) => line.split(":")[0]);

test.each([
  [10, 9, ["fault"]],
  [100, 9, ["fault"]],
  [109, 9, []],
  [1_000, 900, []],
  [1_000, 901, ["fault"]],
])("of %i executions %i are reserved for data only if 100 remain unreserved", async (total, ingest, levels) => {
  expect(await levelsOf(accountOf(total), { ingestConcurrency: ingest })).toEqual(levels);
});

test("both reservations count together, in one sentence that names both", async () => {
  const both = { authorizerConcurrency: 300, ingestConcurrency: 601 };

  expect(await problems(accountOf(1_000), both)).toEqual([
    expect.stringContaining("authorizerConcurrency with ingestConcurrency reserves 901 of 1000 unreserved executions"),
  ]);
  expect(await levelsOf(accountOf(1_000), { ...both, ingestConcurrency: 600 })).toEqual([]);
});

test("what the running stack has reserved is available to the deployment that replaces it", async () => {
  const running = runningStack({ authorizerConcurrency: 200, ingestConcurrency: 600 });

  expect(await levelsOf(accountOf(1_000, 800), { ingestConcurrency: 900 }, running)).toEqual([]);
  expect(await levelsOf(accountOf(1_000, 800), { ingestConcurrency: 901 }, running)).toEqual(["fault"]);
});

/** Four streams with four shards each, and as many previews as judges. */
test.each([
  [10, {}, ["note"]],
  [100, {}, []],
  [100, { judgeMaxConcurrency: 17 }, []],
  [100, { judgeMaxConcurrency: 18 }, ["note"]],
  [1_000, { judgeMaxConcurrency: 242 }, []],
  [1_000, { judgeMaxConcurrency: 243 }, ["note"]],
  [1_000, { judgeMaxConcurrency: 42, ingestConcurrency: 800 }, []],
  [1_000, { judgeMaxConcurrency: 43, ingestConcurrency: 800 }, ["note"]],
  [100, { warmThroughput: { rows: { readUnitsPerSecond: 12_000, writeUnitsPerSecond: 28_001 } } }, ["note"]],
  [100, { warmThroughput: { rows: { readUnitsPerSecond: 84_000, writeUnitsPerSecond: 4_000 } } }, []],
  [100, { warmThroughput: { bodies: { readUnitsPerSecond: 12_000, writeUnitsPerSecond: 90_000 } } }, []],
])("in an account of %i executions %j are warned of if the background could use more than half", async (...row) => {
  const [total, context, levels] = row;

  expect(await levelsOf(accountOf(total), context)).toEqual(levels);
});

test("a stack has a stream worker for each table with a stream, of which each shard has one", () => {
  const workers = synthesize()
    .stack.node.findAll()
    .filter((construct) => construct instanceof StreamWorker);
  const streams = tableNames.filter((name) => "stream" in tables[name]);

  expect(workers).toHaveLength(streams.length);
  expect(
    workers.map(({ mapping }) => (mapping.node.defaultChild as CfnEventSourceMapping).parallelizationFactor),
  ).toEqual(streams.map(() => undefined));
});

test("two changes of one table's indexes stop a deployment, one does not; a restored table needs all of its indexes", async () => {
  const withIndexes = (name: TableName, indexes: readonly string[]) =>
    accountWith({
      indexes: async () => new Map(tableNames.map((each) => [each, each === name ? indexes : indexesOf(each)])),
    });
  const restored = "arn:aws:dynamodb:eu-central-1:123456789012:table/restored/stream/2026-11-21T02:31:07.417";
  const restoredTables = { prod: { scores: restored } };

  expect(await problems(withIndexes("scores", ["by-run"]), {}, runningStack())).toEqual([]);
  expect(await problems(withIndexes("scores", ["by-run", "by-hour"]), {}, runningStack())).toEqual([
    "fault: The table scores would get by-time and lose by-hour, and DynamoDB makes or deletes one index in an update: deploy the versions between, one after the other.",
  ]);
  expect(await problems(withIndexes("scores", ["by-run"]), { restoredTables }, runningStack())).toEqual([
    "fault: The restored table scores has no index by-time: make it before this deployment.",
  ]);
});

test("an upgrade needs room for the roles that the running stack lacks, since CloudFormation makes them before it deletes others", async () => {
  const account = (used: number) =>
    accountWith({
      roles: async () => ({ used, quota: 1000 }),
      stackRoles: async () => new Set(["RolesA", "RolesOld"]),
    });

  expect(await problems(account(998), {}, runningStack())).toEqual([]);
  expect(await problems(account(999), {}, runningStack())).toEqual([
    expect.stringContaining("fault: The account has 999 of 1000 roles, and the deployment makes 2"),
  ]);
});

const { template } = synthesize({ stage: "prod", retentionDays: 30 });
const roles = Object.keys(template.findResources("AWS::IAM::Role"));

/** AWS as the command sees it: each service by its protocol, with a running stage of a version, or none. */
const startAws = async (version: string | null, indexes: (table: string) => readonly string[]) => {
  const outputs = tableNames
    .map((name): readonly [string, string] => [tableOutput(name), name])
    .concat([
      [buildOutputs.version, String(version)],
      [buildOutputs.commit, "c"],
    ])
    .map(([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`)
    .join("");
  const status = version === null ? "ROLLBACK_COMPLETE" : "UPDATE_COMPLETE";
  const xml: Readonly<Record<string, string>> = {
    GetCallerIdentity: "<Account>123456789012</Account>",
    GetAccountSummary:
      "<SummaryMap><entry><key>Roles</key><value>31</value></entry><entry><key>RolesQuota</key><value>1000</value></entry></SummaryMap>",
    DescribeStacks: `<Stacks><member><StackName>assay-prod</StackName><StackStatus>${status}</StackStatus><Outputs>${outputs}</Outputs></member></Stacks>`,
    ListStackResources: `<StackResourceSummaries>${["AWS::IAM::Role", "AWS::Lambda::Function"]
      .map(
        (type) =>
          `<member><LogicalResourceId>${roles[0]}</LogicalResourceId><ResourceType>${type}</ResourceType></member>`,
      )
      .join("")}</StackResourceSummaries>`,
    GetTemplateSummary: `<Metadata>${JSON.stringify({ "Assay::Settings": '{"retentionDays":30}', "Assay::Judge": "openai/gpt-6-luna" })}</Metadata>`,
  };
  const reply = (service: string | undefined, body: string): string => {
    if (service === "lambda")
      return JSON.stringify({ AccountLimit: { ConcurrentExecutions: 10, UnreservedConcurrentExecutions: 10 } });
    if (service === "apigateway") return JSON.stringify({ throttleSettings: { rateLimit: 10_000, burstLimit: 5_000 } });
    if (service === "ssm") {
      const { Names } = JSON.parse(body) as { readonly Names: readonly string[] };
      return JSON.stringify({ Parameters: Names.map((Name) => ({ Name, Type: "SecureString", Value: "28" })) });
    }
    if (service === "dynamodb") {
      const { TableName: name } = JSON.parse(body) as { readonly TableName: string };
      return JSON.stringify({
        Table: { GlobalSecondaryIndexes: indexes(name).map((IndexName) => ({ IndexName })) },
      });
    }
    const action = new URLSearchParams(body).get("Action") ?? "";
    return `<${action}Response><${action}Result>${xml[action]}</${action}Result></${action}Response>`;
  };
  const server = await listenOnLoopback(
    createServer((request, response) => {
      const service = /Credential=id\/\d+\/[\w-]+\/(\w+)\/aws4_request/u.exec(request.headers.authorization ?? "")?.[1];
      void text(request).then((body) => response.end(reply(service, body)));
    }),
  );
  onTestFinished(() => server.close());
  return server.url;
};

/** Runs the command with `--check`. @returns the printed lines, and the exit code. */
const check = async (variables: Readonly<Record<string, string>>, ...settings: readonly string[]) => {
  const command = join(import.meta.dirname, "../../../../infra/deploy/run.ts");
  const args = ["stage=prod", "retentionDays=30", ...settings].flatMap((setting) => ["-c", setting]);
  const child = spawn(process.execPath, [command, "--check", ...args], {
    env: { HOME: temporaryDirectory(), ...variables, ...compileCache },
  });
  const [printed, code] = await Promise.all([
    text(child.stderr),
    new Promise((resolve) => child.once("exit", resolve)),
  ]);
  // A checkout may have the packages of the lake's layer.
  return {
    lines: printed
      .trim()
      .split("\n")
      .filter((line) => !line.includes("has no DuckDB")),
    code,
  };
};

const inAccount = (url: string) => ({
  AWS_ENDPOINT_URL: url,
  AWS_REGION: "eu-central-1",
  AWS_ACCESS_KEY_ID: "id",
  AWS_SECRET_ACCESS_KEY: "secret",
});

const { version: checkoutVersion } = readBuild(join(import.meta.dirname, "../../../.."));

const settingsLines = [
  "ok    The settings of the stage prod are valid.",
  "note  Alarms notify nobody: set alarmEmail or alarmTopicArn.",
  expect.stringMatching(/^note {2}Judging has no monthly ceiling/u),
  // One less without the layer of the lake.
  expect.stringMatching(/^ok {4}The stack has 35\d of 500 resources\.$/u),
];

const accountLines = [
  "ok    The CDK's bootstrap stack has version 28.",
  expect.stringMatching(/^note {2}Lambda runs 10 functions at a time/u),
  "ok    API Gateway admits 10000 requests a second.",
  "ok    The parameter /assay/prod/judge/openai/key is stored.",
];

const lacksIndexes = expect.stringMatching(/^STOP {2}The table scores would get by-time, by-run and lose none/u);

test.each([
  [
    "a new stage",
    null,
    0,
    [...accountLines, `ok    The account has 31 of 1000 roles, and the deployment makes ${roles.length}.`],
  ],
  [
    "a running stage whose table lacks two indexes",
    checkoutVersion,
    1,
    [
      expect.stringContaining(`ok    The stack assay-prod runs Assay ${checkoutVersion}, commit c; this checkout is `),
      ...accountLines,
      `ok    The account has 31 of 1000 roles, and the deployment makes ${roles.length - 1}.`,
      lacksIndexes,
    ],
  ],
  [
    "a running stage of a later major version",
    "9.0.0",
    1,
    [
      `STOP  The stack assay-prod runs version 9.0.0, and this checkout is ${checkoutVersion}: a major version is not rolled back like a minor one: read UPGRADING.md for 9.0.0, which says whether there is a way back, then add --over 9.0.0.`,
      ...accountLines,
      `ok    The account has 31 of 1000 roles, and the deployment makes ${roles.length - 1}.`,
      lacksIndexes,
    ],
  ],
])(
  "the command asks all services for %s by their protocols, and prints a sentence for each answer",
  async (_, version, code, lines) => {
    const url = await startAws(version, (name) => (name === "scores" ? [] : indexesOf(name as TableName)));

    expect(await check(inAccount(url))).toEqual({
      lines: [...settingsLines, "ok    Account 123456789012, Region eu-central-1.", ...lines],
      code,
    });
  },
);

test("without credentials the settings are checked by every rule of a synthesis, and the synthesis prints the same sentences", async () => {
  const faulty = ['limits={"createTracs": 100}', "retentionDays=30"];
  const sentence = "The setting limits names createTracs, which is not a route; did you mean createTrace?";
  const app = spawnSync(process.execPath, [join(import.meta.dirname, "../../../../infra/app.ts")], {
    env: {
      HOME: temporaryDirectory(),
      CDK_OUTDIR: temporaryDirectory(),
      CDK_CONTEXT_JSON: JSON.stringify({ stage: "prod", limits: '{"createTracs": 100}' }),
      ...compileCache,
    },
    encoding: "utf8",
  });

  expect(await check({})).toEqual({
    lines: [
      ...settingsLines,
      expect.stringMatching(/^note {2}There is no Region: set AWS_REGION/u),
      "The settings alone were checked: neither the account nor the running stack was asked.",
    ],
    code: 0,
  });
  expect(await check({}, ...faulty)).toEqual({ lines: [`STOP  ${sentence}`], code: 1 });
  expect([app.status, app.stderr]).toEqual([1, `${sentence}\n`]);
});
