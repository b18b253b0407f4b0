import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { deploy, type DeployDependencies, runningStackVariable } from "../../../../infra/deploy/deploy.ts";
import type { CheckedSettings } from "../../../../infra/deploy/preflight/check-deployment.ts";
import { fault, type Finding, note } from "../../../../infra/deploy/preflight/finding.ts";
import { readRunningStack } from "../../../../infra/deploy/read-running-stack.ts";
import {
  deploymentFaults,
  judgeMetadata,
  type RunningStack,
  settingsMetadata,
} from "../../../../infra/settings/running-settings.ts";
import { readSettings } from "../../../../infra/settings/settings.ts";
import type { PlannedStage } from "../../../../infra/settings/stage-settings.ts";
import { type Build, buildMetadata, buildOutputs } from "../../../../infra/supply/build.ts";
import { listenOnLoopback } from "../../../../infra/local/host/loopback-server.ts";
import { fixtureBuild, synthesize, temporaryDirectory } from "../../synthesize.ts";
import { compileCache } from "../../../support/vitest/compile-cache.ts";

const faults = (running: RunningStack, context: Record<string, unknown>) =>
  deploymentFaults(running, readSettings({ stage: "prod", ...context }), "settings/prod.json");

/** Build of the checkout, and of running stacks unless a test names another one. */
const build: Build = { version: "1.2.3", commit: "0123456789abcdef0123456789abcdef01234567" };

const runningSettings = { retentionDays: 30, monthlyCostCeilingUsd: 100, moreAlarms: false };
const runningStack = (explicitSettings: Record<string, unknown>, judgeModel = "openai/gpt-6-luna"): RunningStack => ({
  kind: "settings",
  build,
  explicitSettings,
  judgeModel,
});

test("a deployment that omits settings of the running stack is stopped, in a sentence that names each with its value", () => {
  expect(faults(runningStack(runningSettings), {})).toEqual([
    "The running stack assay-prod has settings that this deployment does not set: retentionDays (30), monthlyCostCeilingUsd (100). Write them into settings/prod.json, or drop them with --drop-settings.",
  ]);
});

test("a setting may be changed, and a setting with its default value may be omitted", () => {
  expect(faults(runningStack(runningSettings), { retentionDays: 90, monthlyCostCeilingUsd: 50 })).toEqual([]);
});

test("a deployment that would change the default judge of a running stage is stopped, unless its settings name a judge", () => {
  const earlier = runningStack({}, "openai/gpt-5.4-mini");

  expect(faults(earlier, {})).toEqual([
    'This deployment would change the judge of assay-prod from openai/gpt-5.4-mini to openai/gpt-6-luna, whose scores differ: set "judgeModel" in settings/prod.json to the one that you want.',
  ]);
  expect(faults(earlier, { judgeModel: "openai/gpt-6-luna" })).toEqual([]);
  expect(faults(earlier, { judgeModel: "openai/gpt-5.4-mini" })).toEqual([]);
  expect(faults(runningStack({}), {})).toEqual([]);
  expect(faults(runningStack({ judgeModel: "gemini/a" }, "gemini/a"), {})).toEqual([
    expect.stringContaining('does not set: judgeModel ("gemini/a")'),
  ]);
});

test("a stack without recorded settings is not assumed to have none", () => {
  expect(faults({ kind: "silent" }, { retentionDays: 30 })).toEqual([
    expect.stringContaining("has no record of its settings"),
  ]);
});

test('a first deployment asks how long traces are kept, and "for ever" is a valid answer', () => {
  expect(faults({ kind: "none" }, {})).toEqual([expect.stringContaining('set "retentionDays" in settings/prod.json')]);
  expect(faults({ kind: "none" }, { retentionDays: 0 })).toEqual([]);
});

const noFindings = async (): Promise<readonly Finding[]> => [];

interface Deployment {
  readonly codes?: readonly number[];
  readonly checks?: Partial<Pick<DeployDependencies, "checkSettings" | "checkAccess" | "checkDeployment">>;
  /** Receives the printed lines. */
  readonly lines?: string[];
}

const planned: PlannedStage = {
  settings: readSettings({ stage: "prod" }),
  stack: { resources: 1, roles: [], memory: {}, warnings: [] },
};

const checkSettings = async (): Promise<CheckedSettings> => ({ planned, findings: [] });

/** What is compared with a stack whose settings may be dropped. */
const judgeAlone = (judgeModel = "openai/gpt-6-luna") => ({ kind: "settings", explicitSettings: {}, judgeModel });

/** Runs `deploy`; returns its calls. */
const runDeploy = async (
  args: readonly string[],
  running: RunningStack,
  { codes = [0, 0], checks, lines = [] }: Deployment = {},
) => {
  const stages: string[] = [];
  const calls: { args: readonly string[]; comparedWith: unknown }[] = [];
  const code = await deploy(args, {
    build,
    readStack: async (stage) => (stages.push(stage), running),
    cdk: async (cdkArgs, variables) => {
      const runningStack = variables[runningStackVariable];
      calls.push({ args: cdkArgs, comparedWith: runningStack === undefined ? undefined : JSON.parse(runningStack) });
      return codes[calls.length - 1] ?? 1;
    },
    print: (line) => lines.push(line),
    checkSettings,
    checkAccess: noFindings,
    checkDeployment: noFindings,
    ...checks,
  });
  return { code, stages, calls };
};

test.each([
  [["-c", "stage=prod"], "prod"],
  [["--context", "stage=prod", "--require-approval", "never"], "prod"],
  [["--context=stage=prod"], "prod"],
  [["-c", "stage=blue", "-c", "stage=prod"], "prod"],
  [["-c", "retentionDays=1"], "dev"],
])("the arguments %j deploy the stage %s, after a comparison with the running stack", async (args, stage) => {
  const running = runningStack(runningSettings);

  expect(await runDeploy(args, running)).toEqual({
    code: 0,
    stages: [stage],
    calls: [{ args: ["deploy", ...args], comparedWith: running }],
  });
});

test.each([
  ["with recorded settings", runningStack(runningSettings, "gemini/a"), "gemini/a"],
  ["without recorded settings", { kind: "silent", build } as const, "openai/gpt-5.4-mini"],
])(
  "with the option to drop settings, a deployment of a stack %s compares the judge alone, and the option is not passed to CDK",
  async (_, running, judge) => {
    const { calls } = await runDeploy(["-c", "stage=prod", "--drop-settings"], running);

    expect(calls).toEqual([{ args: ["deploy", "-c", "stage=prod"], comparedWith: judgeAlone(judge) }]);
  },
);

test("a first deployment protects its tables in a second step, which does not follow a failed first one", async () => {
  const none: RunningStack = { kind: "none" };
  const first = { args: ["deploy", "-c", "stage=prod", "-c", "tableProtection=false"], comparedWith: none };

  expect(await runDeploy(["-c", "stage=prod"], none)).toMatchObject({
    code: 0,
    calls: [first, { args: ["deploy", "-c", "stage=prod"], comparedWith: undefined }],
  });
  expect(await runDeploy(["-c", "stage=prod", "--drop-settings"], none)).toMatchObject({ calls: [first, {}] });
  expect(await runDeploy(["-c", "stage=prod"], none, { codes: [1] })).toMatchObject({ code: 1, calls: [first] });
});

test("the last line of a deployment says how to verify it, and the first how long it takes", async () => {
  const lines: string[] = [];
  await runDeploy(["-c", "stage=prod"], runningStack({}), { lines });

  expect(lines[0]).toBe(
    `ok    The stack assay-prod runs Assay 1.2.3, commit ${build.commit}; this checkout is Assay 1.2.3, commit ${build.commit}.`,
  );
  expect(lines[1]).toContain("about 5 minutes");
  expect(lines.at(-1)).toBe(
    "Deployed. Check it with: npm run -s verify -- --url <ApiUrl> --key <API key> --stage prod",
  );
});

test("a fault of the account or its credentials stops a deployment with its sentence; a note does not", async () => {
  const lines: string[] = [];
  const findings = [note("The parameter is missing."), fault("There are too many roles.")];
  const checkDeployment = async () => findings;
  const stopped = await runDeploy([], runningStack({}), { checks: { checkDeployment }, lines });
  const unknownAccess = await runDeploy([], runningStack({}), {
    checks: { checkAccess: async () => [fault("There is no Region.")] },
  });
  const noted = await runDeploy([], runningStack({}), {
    checks: { checkDeployment: async () => findings.slice(0, 1) },
  });

  expect(stopped).toMatchObject({ code: 1, calls: [] });
  expect(lines.slice(1)).toEqual(["note  The parameter is missing.", "STOP  There are too many roles."]);
  expect(unknownAccess).toEqual({ code: 1, stages: [], calls: [] });
  expect(noted).toMatchObject({ code: 0, calls: [{}] });
});

test("with --check nothing is deployed, and the flag is not passed on", async () => {
  const checked: unknown[] = [];
  const checks = {
    checkSettings: async (args: readonly string[]) => (checked.push(args), checkSettings()),
    checkDeployment: async (...stacks: readonly unknown[]) => (checked.push(...stacks), []),
  };

  const result = await runDeploy(["--check", "-c", "stage=prod"], runningStack({}), { checks });
  expect(result).toMatchObject({ code: 0, calls: [] });
  expect(checked).toEqual([["-c", "stage=prod"], planned, runningStack({}), runningStack({})]);
});

test.each([
  ["--chek", "There is no flag --chek; did you mean --check?"],
  ["--check=true", "There is no flag --check=true; did you mean --check?"],
  ["--droop-settings", "There is no flag --droop-settings; did you mean --drop-settings?"],
  ["-c stage", "The context stage has no value: write -c name=value, as -c stage=prod."],
  ["--contxt stage=prod", "There is no flag --contxt; did you mean --context?"],
])("with the arguments %s nothing is checked or deployed, in a sentence that says why", async (args, sentence) => {
  await expect(runDeploy(args.split(" "), runningStack({}))).rejects.toThrow(sentence);
});

test("--help prints the usage and deploys nothing; options of cdk are passed on", async () => {
  const lines: string[] = [];
  const options = ["--force", "--outputs-file", "o.json", "--concurrency=2", "--no-rollback", "-c", "stage=prod"];

  expect(await runDeploy(["--help"], runningStack({}), { lines })).toEqual({ code: 0, stages: [], calls: [] });
  expect(lines.join("")).toContain("--drop-settings");
  expect((await runDeploy(options, runningStack({}))).calls[0]?.args).toEqual(["deploy", ...options]);
});

test("with --check alone, settings are checked without credentials; a fault of theirs is told first, and ends the command", async () => {
  const lines: string[] = [];
  const checkAccess = async () => [fault("There is no Region.")];
  const refused = async () => ({ planned: null, findings: [fault("The setting limits names x.")] });

  const checked = await runDeploy(["--check"], runningStack({}), { checks: { checkAccess }, lines });
  const stopped = await runDeploy([], runningStack({}), { checks: { checkSettings: refused, checkAccess }, lines });

  expect(checked).toEqual({ code: 0, stages: [], calls: [] });
  expect(stopped).toEqual({ code: 1, stages: [], calls: [] });
  expect(lines).toEqual([
    "note  There is no Region.",
    "The settings alone were checked: neither the account nor the running stack was asked.",
    "STOP  The setting limits names x.",
  ]);
});

test("settings that may be dropped are not compared, but what they reserve in the account is known to the checks", async () => {
  const running = runningStack({ ingestConcurrency: 600 });
  const checked: unknown[] = [];
  const checkDeployment = async (...args: readonly unknown[]) => (checked.push(...args), []);

  await runDeploy(["--check", "--drop-settings"], running, { checks: { checkDeployment } });

  expect(checked).toEqual([planned, running, judgeAlone()]);
});

const stackOf = (version: string | null): RunningStack => ({
  kind: "settings",
  ...(version !== null && { build: { version, commit: "c" } }),
  explicitSettings: {},
  judgeModel: "openai/gpt-6-luna",
});

/** Returns the sentence that stops a deployment over a version; null if none does. */
const stopOf = async (version: string | null, checkout: string, args: readonly string[] = []) => {
  const lines: string[] = [];
  const code = await deploy(["-c", "stage=prod", ...args], {
    build: { version: checkout, commit: "d" },
    readStack: async () => stackOf(version),
    cdk: async (cdkArgs) => (expect(cdkArgs).toEqual(["deploy", "-c", "stage=prod"]), 0),
    print: (line) => lines.push(line),
    checkSettings,
    checkAccess: noFindings,
    checkDeployment: noFindings,
  });
  const stops = lines.filter((line) => line.startsWith("STOP  "));
  expect(code).toBe(stops.length > 0 ? 1 : 0);
  return stops[0] ?? null;
};

test.each([
  ["1.0.0", "1.0.0"],
  ["1.0.0", "1.0.7"],
  ["1.0.7", "1.1.0"],
  ["1.9.0", "1.10.0"],
  ["1.1.0-beta.9", "1.1.0-beta.10"],
  ["1.1.0-beta.1", "1.1.0"],
  ["1.0.3", "1.1.0-beta.1"],
  ["0.1.0", "0.2.0"],
])("version %s is deployed over by %s", async (running, checkout) => {
  expect(await stopOf(running, checkout)).toBeNull();
});

test.each<[string | null, string, string]>([
  ["1.2.0", "1.1.9", "this is a rollback: read infra/rollback.md, then add --over 1.2.0."],
  ["1.2.1", "1.2.0", "this is a rollback: read infra/rollback.md, then add --over 1.2.1."],
  ["1.1.0", "1.1.0-beta.2", "this is a rollback"],
  ["1.1.0-beta.10", "1.1.0-beta.9", "this is a rollback"],
  ["1.3.0", "1.1.0", "rolled back one at a time: check out the last version 1.2 and deploy that first"],
  ["1.0.0", "1.2.0", "deployed one at a time: check out the last version 1.1 and deploy that first (UPGRADING.md)."],
  ["1.2.0", "1.10.0", "check out the last version 1.3 and deploy that first"],
  ["1.9.0", "2.0.0", "a new major version: do what UPGRADING.md says for 2.0.0, then add --over 1.9.0."],
  ["2.0.0", "1.9.0", "read UPGRADING.md for 2.0.0, which says whether there is a way back, then add --over 2.0.0."],
  ["0.1.0", "1.0.0", "a build before 1.0.0, which 1.0.0 is not promised to read: deploy a new stage beside it"],
  [null, "1.0.0", "deploy a new stage beside it (UPGRADING.md), or add --over unknown if nobody needs the data."],
])("over version %s a deployment of %s is stopped with what to do, unless the version is named", async (...row) => {
  const [running, checkout, advice] = row;
  const version = running ?? "unknown";

  const sentence = await stopOf(running, checkout);
  expect(sentence).toMatch(`STOP  The stack assay-prod runs version ${version}, and this checkout is ${checkout}: `);
  expect(sentence).toContain(advice);
  expect(await stopOf(running, checkout, ["--over", version])).toBeNull();
  expect(await stopOf(running, checkout, [`--over=${version}`])).toBeNull();
  expect(await stopOf(running, checkout, ["--over", "1.0.9"])).toBe(
    `STOP  The running stack assay-prod has the version ${version}, not 1.0.9 as --over says.`,
  );
});

test("the app stops with that sentence before it builds anything", () => {
  const home = temporaryDirectory();
  const app = spawnSync(process.execPath, [join(import.meta.dirname, "../../../../infra/app.ts")], {
    env: {
      HOME: home,
      CDK_OUTDIR: join(home, "cdk.out"),
      CDK_CONTEXT_JSON: JSON.stringify({ stage: "prod" }),
      [runningStackVariable]: JSON.stringify(runningStack({ retentionDays: 30 })),
      ...compileCache,
    },
    encoding: "utf8",
  });

  expect(app.status).toBe(1);
  expect(app.stderr).toBe(
    "The running stack assay-prod has settings that this deployment does not set: retentionDays (30). Write them into settings/prod.json, or drop them with --drop-settings.\n",
  );
});

/** A CloudFormation with one stack in some state, or none, and its template's metadata. */
const cloudFormation = async (state: string | null, metadata?: unknown, outputs = "") => {
  const reply = (action: string, inner: string) =>
    `<${action}Response><${action}Result>${inner}</${action}Result></${action}Response>`;
  const error =
    "<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id assay-prod does not exist</Message></Error></ErrorResponse>";
  const server = await listenOnLoopback(
    createServer((request, response) => {
      void text(request).then((body) => {
        if (state === null) return response.writeHead(400).end(error);
        if (body.includes("Action=DescribeStacks"))
          return response.end(
            reply(
              "DescribeStacks",
              `<Stacks><member><StackName>a</StackName><StackStatus>${state}</StackStatus><Outputs>${outputs}</Outputs></member></Stacks>`,
            ),
          );
        const metadataXml = metadata === undefined ? "" : `<Metadata>${JSON.stringify(metadata)}</Metadata>`;
        return response.end(reply("GetTemplateSummary", metadataXml));
      });
    }),
  );
  const credentials = { accessKeyId: "id", secretAccessKey: "secret" };
  const client = new CloudFormationClient({ endpoint: server.url, region: "eu-central-1", credentials });
  const running = await readRunningStack(client, "assay-prod");
  await server.close();
  return running;
};

test("the running stack is read from CloudFormation: no stack, a failed creation, recorded settings, no settings", async () => {
  expect(await cloudFormation(null)).toEqual({ kind: "none" });
  expect(await cloudFormation("ROLLBACK_COMPLETE")).toEqual({ kind: "none" });
  const recorded = (settings: Record<string, unknown>) => ({ [settingsMetadata]: JSON.stringify(settings) });
  expect(
    await cloudFormation("UPDATE_COMPLETE", { ...recorded(runningSettings), [judgeMetadata]: "gemini/a" }),
  ).toEqual({ kind: "settings", explicitSettings: runningSettings, judgeModel: "gemini/a" });
  expect(await cloudFormation("UPDATE_COMPLETE", recorded(runningSettings))).toMatchObject({
    explicitSettings: runningSettings,
    judgeModel: "openai/gpt-5.4-mini",
  });
  expect(await cloudFormation("UPDATE_COMPLETE", recorded({ judgeModel: "gemini/b" }))).toMatchObject({
    explicitSettings: { judgeModel: "gemini/b" },
    judgeModel: "gemini/b",
  });
  expect(await cloudFormation("UPDATE_COMPLETE", { other: 1 })).toEqual({ kind: "silent" });
  expect(await cloudFormation("UPDATE_COMPLETE")).toEqual({ kind: "silent" });
});

test("the build is read from the outputs of a stack, which every template states, or else from its metadata", async () => {
  const { template } = synthesize({ stage: "prod" });
  const outputs = template.findOutputs("*");
  const stated = Object.values(buildOutputs)
    .map((key) => `<member><OutputKey>${key}</OutputKey><OutputValue>${outputs[key]?.["Value"]}</OutputValue></member>`)
    .join("");
  const metadata = { [buildMetadata]: { version: "1.0.0", commit: "c" } };

  expect(await cloudFormation("UPDATE_COMPLETE", metadata, stated)).toEqual({ kind: "silent", build: fixtureBuild });
  expect(await cloudFormation("UPDATE_COMPLETE", metadata)).toEqual({ kind: "silent", build: metadata[buildMetadata] });
});
