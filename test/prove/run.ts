/** Entry point of `npm run prove`: proves a deployment, or a judge, and writes what was seen to `docs/proof/`. */
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { awsClient } from "../../lib/aws/aws-client.ts";
import { createClient } from "../../lib/client/client.ts";
import { isOfflineModel } from "../../lib/domain/scores/score.ts";
import { failureSentence, parseCommandLine } from "../../infra/command-line.ts";
import { appContext } from "../../infra/deploy/cdk-context.ts";
import { installCdk } from "../../infra/deploy/cdk/install-cdk.ts";
import { signedCall } from "../../infra/deploy/preflight/signed-call.ts";
import { readRunningStack } from "../../infra/deploy/read-running-stack.ts";
import { planStage } from "../../infra/settings/stage-settings.ts";
import { deployedTables, stackOutputs, stackResources } from "../../infra/stack-outputs.ts";
import { buildName, readBuild } from "../../infra/supply/build.ts";
import { git } from "../../infra/supply/git.ts";
import { pass } from "../../infra/verify/check.ts";
import { baseUrlOf } from "../../infra/verify/target.ts";
import { driverMetrics, driversStep } from "./drivers.ts";
import { proveJudge } from "./judge-only.ts";
import { maxCostUsd } from "../../infra/prove/judge-traces.ts";
import { proofPage, runSteps } from "../../infra/prove/report.ts";
import { type ProvedService, serviceSteps, type Step } from "../../infra/prove/service-steps.ts";
import { stageSteps } from "../../infra/prove/stage-steps.ts";

const usage = `npm run prove -- --stage STAGE --model PROVIDER/MODEL [--previous COMMIT]
npm run prove -- --judge-only --url https://... --key sk_as_... --model PROVIDER/MODEL --trajectories FILE.ndjson.gz

The first deploys a NEW stage, sends 10,000 traces, judges 100 with the model for less than $${maxCostUsd}, raises an alert, restores a
table, rolls back to COMMIT and forward, compares the bill's drivers with the forecast, deletes the project and DESTROYS the stage; it
writes docs/proof/<date>.md. Takes about two hours. Store the provider's key first: /assay/STAGE/judge/<provider>/key.
The second judges up to 100 labelled trajectories through a running service, and writes docs/proof/judge-<date>.md.`;

const repository = join(import.meta.dirname, "../..");
const traceCount = 10_000;
const projectName = "proof";
const print = (line: string): void => console.error(line);

/** Runs a program of Node and returns what it printed. @throws Error if it fails. */
const run = async (directory: string, args: readonly string[]): Promise<string> => {
  const child = spawn(process.execPath, args, { cwd: directory, stdio: ["ignore", "pipe", "inherit"] });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  if (code !== 0) throw new Error(`${args.slice(0, 2).join(" ")} ended with ${code}`);
  return output;
};

const writePage = (name: string, page: string): void => {
  const directory = join(repository, "docs/proof");
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, name), page);
  print(`Wrote docs/proof/${name}.`);
};

const now = new Date();
const day = now.toISOString().slice(0, 10);

/** Returns the full hash of a commit, which the health check names. @throws Error if git does not know it. */
const commitOf = (name: string): string => {
  const commit = git(repository, "rev-parse", "--verify", "--quiet", `${name}^{commit}`)?.trim();
  if (commit === undefined) throw new Error(`There is no commit ${name} in this repository: name one in --previous.`);
  return commit;
};

const proveStage = async (stage: string, model: string, previous: string | null): Promise<number> => {
  const cloudFormation = awsClient(CloudFormationClient);
  if ((await readRunningStack(cloudFormation, `assay-${stage}`)).kind !== "none")
    throw new Error(`The stage ${stage} exists, and a proof destroys its stage: name a new one.`);
  const context = { stage, retentionDays: "1", monthlyCostCeilingUsd: String(maxCostUsd), judgeModel: model };
  const settings = Object.entries(context).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const deploy = async (checkout: string | null, args: readonly string[]): Promise<void> => {
    const command = ["infra/deploy/run.ts", ...settings, "--require-approval", "never", ...args];
    print(await run(checkout ?? repository, command));
  };
  const region = await cloudFormation.config.region();
  const { memory } = planStage(repository, { ...appContext(repository, []), ...context }, region).stack;
  let ownCalls = 0;
  const countedFetch: typeof fetch = (...request) => {
    ownCalls += 1;
    return fetch(...request);
  };
  let proved: (ProvedService & { readonly projectId: string }) | null = null;
  const provedService = () => {
    if (proved === null) throw new Error("The stage has no API key yet.");
    return proved;
  };
  const deployed: Step = {
    title: "A new stage is deployed",
    run: async () => {
      await deploy(null, []);
      return pass(`in ${Math.round((Date.now() - now.getTime()) / 1000)} s`);
    },
  };
  const keyMade: Step = {
    title: "An organization, a project and an API key are made",
    run: async () => {
      const baseUrl = baseUrlOf((await stackOutputs(cloudFormation, stage)).get("ApiUrl") ?? "");
      const keyFlags = ["--organization", "Proof", "--project", projectName, "--stage", stage];
      const created = await run(repository, ["infra/create-key.ts", ...keyFlags]);
      const [apiKey = "", projectId = ""] = [/API key\s+(\S+)/u, /project\s+(\S+)/u].map(
        (form) => form.exec(created)?.[1] ?? "",
      );
      const client = createClient({ baseUrl, credentials: { apiKey, projectName }, fetch: countedFetch });
      proved = { client, baseUrl, headers: { "X-API-Key": apiKey, "X-Project-Name": projectName }, projectId };
      return pass("for the steps below");
    },
  };
  const service = serviceSteps(provedService, { traceCount, model });
  const { restore, rollBack, destroy } = stageSteps(
    {
      name: stage,
      cloudFormation,
      dynamoDb: awsClient(DynamoDBClient),
      deploy,
      destroy: async () => void (await run(repository, [installCdk(), "destroy", "--force", ...settings])),
      checkOut: async (commit) => {
        const directory = join(mkdtempSync(join(tmpdir(), "assay-proof-")), "checkout");
        execFileSync("git", ["worktree", "add", "--detach", directory, commit], { cwd: repository });
        execFileSync("npm", ["ci"], { cwd: directory, stdio: "inherit" });
        const settingsFiles = join(repository, "settings");
        if (existsSync(settingsFiles)) cpSync(settingsFiles, join(directory, "settings"), { recursive: true });
        return directory;
      },
      runningCommit: async () => (await provedService().client.getHealth()).commit,
    },
    previous,
  );
  const monitoring = { name: "monitoring", region, host: `monitoring.${region}.amazonaws.com` };
  const ask = async (parameters: Readonly<Record<string, string>>): Promise<string> =>
    signedCall(monitoring, { parameters }, await cloudFormation.config.credentials());
  const metrics = async () => {
    const functions = await stackResources(cloudFormation, stage, "AWS::Lambda::Function");
    const megabytes = new Map(Array.from(functions, ([name, id]) => [name, memory[id] ?? 0]));
    return driverMetrics(stage, await deployedTables(cloudFormation, stage), megabytes);
  };
  const erase = service.erase(
    async () =>
      void (await run(repository, [
        "infra/operate/run.ts",
        "projects",
        "delete",
        provedService().projectId,
        "--yes",
        "--stage",
        stage,
      ])),
  );
  const drivers = driversStep(ask, metrics, traceCount, now, () => ownCalls);
  // The rule is made before judging, which takes longer than its window, so that the window has the traces.
  const { send, alert, judge } = service;
  const steps = [deployed, keyMade, send, alert, judge, restore, drivers, rollBack, erase];
  const results = await runSteps(steps, destroy, print);
  writePage(`${day}.md`, proofPage(day, buildName(readBuild(repository)), results));
  return results.some(({ verdict }) => verdict === "failed") ? 1 : 0;
};

const main = async (): Promise<number> => {
  const { values } = parseCommandLine({
    stage: { type: "string" },
    model: { type: "string" },
    previous: { type: "string" },
    "judge-only": { type: "boolean", default: false },
    url: { type: "string" },
    key: { type: "string" },
    trajectories: { type: "string" },
    help: { type: "boolean", default: false },
  });
  const { stage, model, previous, url, key, trajectories, help } = values;
  const judgeOnly = values["judge-only"];
  if (
    !help &&
    model !== undefined &&
    judgeOnly &&
    url !== undefined &&
    key !== undefined &&
    trajectories !== undefined
  ) {
    if (isOfflineModel(model))
      throw new Error(`${model} is no provider's model, and the page tells how one judges: name another in --model.`);
    const client = createClient({
      baseUrl: baseUrlOf(url),
      credentials: { apiKey: key, projectName: `judge-${now.getTime()}` },
    });
    const table = await proveJudge(client, trajectories, model);
    writePage(
      `judge-${day}.md`,
      `# A judge beside known outcomes, ${day}\n\n${buildName(readBuild(repository))}, by \`npm run prove -- --judge-only\`.\n\n${table}\n`,
    );
    return 0;
  }
  if (!help && model !== undefined && !judgeOnly && stage !== undefined)
    return proveStage(stage, model, previous === undefined ? null : commitOf(previous));
  console.log(usage);
  return help ? 0 : 1;
};

try {
  process.exitCode = await main();
} catch (error) {
  console.error(failureSentence(error));
  process.exitCode = 1;
}
