import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { repository } from "../../../infra/local/repository.ts";
import { listenOnLoopback } from "../../../infra/local/host/loopback-server.ts";
import { proofPage, runSteps } from "../../../infra/prove/report.ts";
import type { Step } from "../../../infra/prove/service-steps.ts";
import { type ProvedStage, stageSteps } from "../../../infra/prove/stage-steps.ts";
import { tableOutput } from "../../../infra/table-reference.ts";
import { fail, pass } from "../../../infra/verify/check.ts";
import { tableNames } from "../../../lib/dynamo/table.ts";
// oxlint-disable-next-line eslint/no-restricted-imports -- shares the synthesis of the stack
import { synthesize } from "../../infra/synthesize.ts";
import { driverMetrics, driversPerTrace, driversStep } from "../drivers.ts";

/** Requests that the stand-in for AWS got: operation and table. */
let calls: string[] = [];
beforeEach(() => {
  calls = [];
});

/** CloudFormation and DynamoDB of an account with one stage, by their protocols. @param restoredItems items of a restored table */
const startAws = async (restoredItems: number) => {
  const outputs = [...tableNames.map((name) => [tableOutput(name), `assay-x-${name}`]), ["Version", "1.1.0"]]
    .map(([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`)
    .join("");
  let describes = 0;
  const dynamoDb = (operation: string, table: string): object => {
    if (operation === "DescribeTable") return { Table: { TableStatus: (describes += 1) > 1 ? "ACTIVE" : "CREATING" } };
    if (operation === "DescribeContinuousBackups") {
      const LatestRestorableDateTime = Date.now() / 1000 + 2;
      return { ContinuousBackupsDescription: { PointInTimeRecoveryDescription: { LatestRestorableDateTime } } };
    }
    if (operation === "Scan") return { Count: table.endsWith("-proof") ? restoredItems : 7 };
    return {};
  };
  const server = await listenOnLoopback(
    createServer((request, response) => {
      void text(request).then((body) => {
        const operation = String(request.headers["x-amz-target"] ?? "").split(".")[1];
        if (operation !== undefined) {
          const { TableName, TargetTableName } = JSON.parse(body) as {
            readonly [Name in "TableName" | "TargetTableName"]?: string;
          };
          calls.push(`${operation} ${TableName ?? TargetTableName}`);
          return response.end(JSON.stringify(dynamoDb(operation, TableName ?? "")));
        }
        const action = new URLSearchParams(body).get("Action");
        if (!/^(?:Describe|List|Get)/u.test(String(action))) calls.push(String(action));
        const stack = `<Stacks><member><StackName>assay-x</StackName><StackStatus>CREATE_COMPLETE</StackStatus><Outputs>${outputs}</Outputs></member></Stacks>`;
        const result = action === "DescribeStacks" ? stack : "";
        return response.end(`<${action}Response><${action}Result>${result}</${action}Result></${action}Response>`);
      });
    }),
  );
  onTestFinished(() => server.close());
  return server.url;
};

const stageAt = (endpoint: string, commits: readonly string[] = []): ProvedStage => {
  const client = { endpoint, region: "eu-central-1", credentials: { accessKeyId: "id", secretAccessKey: "secret" } };
  let healthChecks = 0;
  return {
    name: "x",
    cloudFormation: new CloudFormationClient(client),
    dynamoDb: new DynamoDBClient(client),
    deploy: async (checkout, args) => void calls.push(`deploy ${checkout ?? "here"} ${args.join(" ")}`),
    destroy: async () => void calls.push("destroy"),
    checkOut: async (commit) => `/checkout/${commit}`,
    runningCommit: async () => commits[healthChecks++] ?? "",
  };
};

test("a table is restored, counted and deleted; fewer items fail", async () => {
  expect(await stageSteps(stageAt(await startAws(7)), null).restore.run()).toEqual(pass("7 items"));
  expect(calls).toEqual([
    "Scan assay-x-rows",
    "DescribeContinuousBackups assay-x-rows",
    "RestoreTableToPointInTime assay-x-rows-proof",
    "DescribeTable assay-x-rows-proof",
    "DescribeTable assay-x-rows-proof",
    "Scan assay-x-rows-proof",
    "DeleteTable assay-x-rows-proof",
  ]);
  expect(await stageSteps(stageAt(await startAws(6)), null).restore.run()).toEqual(fail("6 items were restored of 7"));
});

test("a stage is rolled back to the commit before and forward, over the version that runs, and both are seen to run", async () => {
  const endpoint = await startAws(7);

  expect((await stageSteps(stageAt(endpoint), null).rollBack.run()).verdict).toBe("skipped");
  expect(await stageSteps(stageAt(endpoint, ["b", "a", "b"]), "a").rollBack.run()).toEqual(
    pass("from b to a and back"),
  );
  expect(calls).toEqual(["deploy /checkout/a --over 1.1.0", "deploy here --over 1.1.0"]);
  expect(await stageSteps(stageAt(endpoint, ["b", "b", "b"]), "a").rollBack.run()).toEqual(
    fail("the commits were b, b, b"),
  );
});

test("a stage is destroyed with its tables, whose names are read before", async () => {
  const result = await stageSteps(stageAt(await startAws(7)), null).destroy.run();

  expect(result.verdict).toBe("passed");
  expect(calls).toEqual([
    "deploy here -c tableProtection=false",
    "UpdateTerminationProtection",
    "destroy",
    ...tableNames.map((name) => `DeleteTable assay-x-${name}`),
  ]);
});

test("the drivers are summed from the metrics of the stack's API, tables, indexes and functions, and compared with the forecast", async () => {
  const functions = Object.keys(synthesize({ stage: "x" }).template.findResources("AWS::Lambda::Function"));
  const metrics = driverMetrics("x", (name) => name, new Map(functions.map((name) => [name, 512])));
  const values: Readonly<Record<string, number>> = {
    "AWS/ApiGateway Count": 132,
    "AWS/DynamoDB ConsumedReadCapacityUnits": (10_000 * driversPerTrace.readUnits) / 20,
    "AWS/DynamoDB ConsumedWriteCapacityUnits": (10_000 * driversPerTrace.writeUnits) / 20,
    "AWS/Lambda Duration": (10_000 * driversPerTrace.gbSeconds * 2_000) / functions.length,
  };
  const answer = (factor: number) => async (parameters: Readonly<Record<string, string>>) =>
    metrics
      .map((_, at) => {
        const metric = `MetricDataQueries.member.${at + 1}.MetricStat.Metric`;
        const value = values[`${parameters[`${metric}.Namespace`]} ${parameters[`${metric}.MetricName`]}`];
        return `<member><Id>m${at}</Id><Values><member>${Number(value) * factor}</member></Values></member>`;
      })
      .join("");
  const compare = (factor: number) =>
    driversStep(
      answer(factor),
      async () => metrics,
      10_000,
      new Date(),
      () => 20,
    ).run();

  expect(metrics.length).toBeLessThan(500);
  expect(new Set(metrics.map(({ dimensions }) => JSON.stringify(dimensions))).size * 1).toBe(
    metrics.length - metrics.filter(({ driver }) => driver === "readUnits").length,
  );
  expect(await compare(1)).toMatchObject({
    verdict: "passed",
    details: expect.stringContaining("requests 132 (forecast 120)"),
  });
  expect(await compare(3)).toMatchObject({
    verdict: "failed",
    details: expect.stringContaining("requests are 3.30 times"),
  });
});

test("steps after a failed one are skipped, the stage is destroyed nevertheless, and the page names no account", async () => {
  const step = (title: string, run: Step["run"]): Step => ({ title, run });
  const results = await runSteps(
    [
      step("A", async () =>
        pass("arn:aws:sns:eu-central-1:123456789012:a at https://abc123.execute-api.eu | sk_as_0123456789"),
      ),
      step("B", async () => Promise.reject(new Error("no"))),
      step("C", async () => pass("")),
    ],
    step("D", async () => pass("gone")),
    () => undefined,
  );

  expect(results.map(({ verdict }) => verdict)).toEqual(["passed", "failed", "skipped", "passed"]);
  expect(proofPage("2026-11-30", "Assay 1.0.0", results)).toContain(
    String.raw`| A | passed | 0 s | arn:aws:sns:eu-central-1:[account]:a at https://[api].execute-api.eu \| [secret] |`,
  );
});

test("the command refuses a stage that exists, since it would be destroyed, and says how it is used", async () => {
  const url = await startAws(7);
  const run = async (...args: readonly string[]) => {
    const env = {
      ...process.env,
      AWS_ENDPOINT_URL: url,
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "id",
      AWS_SECRET_ACCESS_KEY: "s",
    };
    const child = spawn(process.execPath, ["test/prove/run.ts", ...args], { cwd: repository, env });
    const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return out + error;
  };

  expect(await run("--stage", "x", "--model", "openai/gpt-6-luna")).toBe(
    "The stage x exists, and a proof destroys its stage: name a new one.\n",
  );
  expect(await run("--stage", "x", "--model", "openai/gpt-6-luna", "--previous", "none")).toBe(
    "There is no commit none in this repository: name one in --previous.\n",
  );
  const judgeFlags = ["--judge-only", "--url", "http://127.0.0.1:1", "--key", "k", "--trajectories", "none"];
  expect(await run(...judgeFlags, "--model", "offline/rules")).toBe(
    "offline/rules is no provider's model, and the page tells how one judges: name another in --model.\n",
  );
  expect(await run(...judgeFlags, "--model", "openai/x")).toContain("none has no readable trajectories: ENOENT");
  expect(await run("--stage", "x")).toContain("DESTROYS the stage");
  expect(await run("--stag", "x")).toBe("There is no flag --stag; did you mean --stage?\n");
});
