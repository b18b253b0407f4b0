/** Entry point of `npm run deploy -- -c stage=prod`: checks settings and account, and runs `cdk deploy`. */
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { awsClient } from "../../lib/aws/aws-client.ts";
import { readBuild } from "../supply/build.ts";
import { installCdk } from "./cdk/install-cdk.ts";
import { installLakeLayer } from "../lake/layer.ts";
import { deploy, type DeployDependencies } from "./deploy.ts";
import { awsAccount } from "./preflight/account.ts";
import { checkAccess } from "./preflight/preflight.ts";
import { checkDeployment, checkSettings } from "./preflight/check-deployment.ts";
import { readRunningStack } from "./read-running-stack.ts";

const repository = join(import.meta.dirname, "../..");

const cdk: DeployDependencies["cdk"] = async (args, variables) => {
  installLakeLayer();
  const child = spawn(process.execPath, [installCdk(), ...args], {
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
  const account = awsAccount();
  process.exitCode = await deploy(args, {
    build: readBuild(repository),
    checkAccess: () => checkAccess(account),
    checkSettings: (cdkArgs) => checkSettings(repository, account, cdkArgs),
    checkDeployment: (...stacks) => checkDeployment(account, ...stacks),
    readStack: (stage) => readRunningStack(awsClient(CloudFormationClient), `assay-${stage}`),
    cdk,
    print: (line) => console.error(line),
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
