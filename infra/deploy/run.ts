/** `npm run deploy -- -c stage=prod`: `cdk deploy` that forgets no setting of the running stack. */
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { awsClient } from "../../lib/aws/aws-client.ts";
import { deploy, type Deploying } from "./deploy.ts";
import { askForStack } from "./ask-for-stack.ts";

const repository = join(import.meta.dirname, "../..");

const cdk: Deploying["cdk"] = async (args, variables) => {
  const child = spawn(process.execPath, [join(repository, "node_modules/aws-cdk/bin/cdk"), ...args], {
    cwd: repository,
    env: { ...process.env, ...variables },
    stdio: "inherit",
  });
  const [code] = await once(child, "exit");
  return typeof code === "number" ? code : 1;
};

const args = process.argv.slice(2);
const profile = args[args.indexOf("--profile") + 1];
if (args.includes("--profile") && profile !== undefined) process.env["AWS_PROFILE"] = profile;

try {
  process.exitCode = await deploy(args, {
    running: (stage) => askForStack(awsClient(CloudFormationClient), `assay-${stage}`),
    cdk,
    tell: (line) => console.error(line),
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
