import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { App } from "aws-cdk-lib";
import { expect, test } from "vitest";
import { deploy, runningVariable } from "../../../infra/deploy/deploy.ts";
import { askForStack } from "../../../infra/deploy/ask-for-stack.ts";
import { deploymentFaults, type Running, settingsMetadata } from "../../../infra/settings/running-settings.ts";
import { readSettings } from "../../../infra/settings/settings.ts";
import { listenOnLoopback } from "../../../infra/local/host/loopback-server.ts";
import { temporaryDirectory } from "../synthesize.ts";

const faults = (running: Running, context: Record<string, unknown>) =>
  deploymentFaults(
    running,
    readSettings(new App({ context: { stage: "prod", ...context } }).node),
    "settings/prod.json",
  );

const chosen = { retentionDays: 30, monthlyCostCeilingUsd: 100, moreAlarms: false };

test("a deployment that leaves out settings of the running stack is stopped, in a sentence that names each with its value", () => {
  expect(faults({ kind: "settings", chosen }, {})).toEqual([
    "The running stack assay-prod has settings that this deployment does not name: retentionDays (30), monthlyCostCeilingUsd (100). Write them into settings/prod.json, or go on without by --drop-settings.",
  ]);
});

test("a setting may be changed, and what was at its default may be left out", () => {
  expect(faults({ kind: "settings", chosen }, { retentionDays: 90, monthlyCostCeilingUsd: 50 })).toEqual([]);
});

test("a stack that does not say its settings is not trusted to have none", () => {
  expect(faults({ kind: "silent" }, { retentionDays: 30 })).toEqual([
    expect.stringContaining("does not say its settings"),
  ]);
});

test("a first deployment is asked how long traces are kept, and for ever is an answer", () => {
  expect(faults({ kind: "none" }, {})).toEqual([expect.stringContaining('as "retentionDays"; 0 keeps it for ever')]);
  expect(faults({ kind: "none" }, { retentionDays: 0 })).toEqual([]);
});

/** What `deploy` asks for and calls. */
const tried = async (args: readonly string[], running: Running, codes: readonly number[] = [0, 0]) => {
  const stages: string[] = [];
  const calls: { args: readonly string[]; told: unknown }[] = [];
  const code = await deploy(args, {
    running: async (stage) => (stages.push(stage), running),
    cdk: async (given, variables) => {
      const told = variables[runningVariable];
      calls.push({ args: given, told: told === undefined ? undefined : JSON.parse(told) });
      return codes[calls.length - 1] ?? 1;
    },
    tell: () => undefined,
  });
  return { code, stages, calls };
};

test.each([
  [["-c", "stage=prod"], "prod"],
  [["--context", "stage=prod", "--require-approval", "never"], "prod"],
  [["--context=stage=prod"], "prod"],
  [["-c", "stage=blue", "-c", "stage=prod"], "prod"],
  [["-c", "retentionDays=1"], "dev"],
])("the arguments %j deploy the stage %s, compared with what runs", async (args, stage) => {
  const running: Running = { kind: "settings", chosen };

  expect(await tried(args, running)).toEqual({
    code: 0,
    stages: [stage],
    calls: [{ args: ["deploy", ...args], told: running }],
  });
});

test("told to drop settings, a deployment compares nothing, and the flag is not CDK's to see", async () => {
  const { calls } = await tried(["-c", "stage=prod", "--drop-settings"], { kind: "settings", chosen });

  expect(calls).toEqual([{ args: ["deploy", "-c", "stage=prod"], told: undefined }]);
});

test("a first deployment protects its tables in a second step, which a failed first one does not come to", async () => {
  const none: Running = { kind: "none" };
  const first = { args: ["deploy", "-c", "stage=prod", "-c", "tableProtection=false"], told: none };

  expect(await tried(["-c", "stage=prod"], none)).toMatchObject({
    code: 0,
    calls: [first, { args: ["deploy", "-c", "stage=prod"], told: undefined }],
  });
  expect(await tried(["-c", "stage=prod", "--drop-settings"], none)).toMatchObject({ calls: [first, {}] });
  expect(await tried(["-c", "stage=prod"], none, [1])).toMatchObject({ code: 1, calls: [first] });
});

test("the app stops with that sentence before anything is built", () => {
  const home = temporaryDirectory();
  const app = spawnSync(process.execPath, [join(import.meta.dirname, "../../../infra/app.ts")], {
    env: {
      HOME: home,
      CDK_OUTDIR: join(home, "cdk.out"),
      CDK_CONTEXT_JSON: JSON.stringify({ stage: "prod" }),
      [runningVariable]: JSON.stringify({ kind: "settings", chosen: { retentionDays: 30 } }),
    },
    encoding: "utf8",
  });

  expect(app.status).toBe(1);
  expect(app.stderr).toContain("settings that this deployment does not name: retentionDays (30).");
});

/** A CloudFormation with one stack in some state, or none, and its template's metadata. */
const cloudFormation = async (state: string | null, metadata?: unknown) => {
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
              `<Stacks><member><StackName>a</StackName><StackStatus>${state}</StackStatus></member></Stacks>`,
            ),
          );
        const said = metadata === undefined ? "" : `<Metadata>${JSON.stringify(metadata)}</Metadata>`;
        return response.end(reply("GetTemplateSummary", said));
      });
    }),
  );
  const credentials = { accessKeyId: "id", secretAccessKey: "secret" };
  const client = new CloudFormationClient({ endpoint: server.url, region: "eu-central-1", credentials });
  const running = await askForStack(client, "assay-prod");
  await server.close();
  return running;
};

test("what runs is read from CloudFormation: no stack, one that failed to be made, one that says its settings, one that does not", async () => {
  expect(await cloudFormation(null)).toEqual({ kind: "none" });
  expect(await cloudFormation("ROLLBACK_COMPLETE")).toEqual({ kind: "none" });
  expect(await cloudFormation("UPDATE_COMPLETE", { [settingsMetadata]: JSON.stringify(chosen) })).toEqual({
    kind: "settings",
    chosen,
  });
  expect(await cloudFormation("UPDATE_COMPLETE", { other: 1 })).toEqual({ kind: "silent" });
  expect(await cloudFormation("UPDATE_COMPLETE")).toEqual({ kind: "silent" });
});
