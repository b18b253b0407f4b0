/** Entry point of `npm run operate`: commands for a deployed stage, with the operator's AWS credentials and Region, or for the local service. */
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { SQSClient } from "@aws-sdk/client-sqs";
import { createInterface } from "node:readline/promises";
import { awsClient } from "../../lib/aws/aws-client.ts";
import { connect } from "../../lib/dynamo/database.ts";
import { expiryDays, failureSentence, parseCommandLine } from "../command-line.ts";
import { operate, usage } from "./operate.ts";

const ask = async (question: string): Promise<string | null> => {
  if (!process.stdin.isTTY) return null;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(question);
  terminal.close();
  return answer;
};

const main = async (): Promise<number> => {
  const { values, positionals } = parseCommandLine({
    stage: { type: "string", default: "dev" },
    local: { type: "boolean", default: false },
    project: { type: "string" },
    organization: { type: "string" },
    "expires-days": { type: "string" },
    discard: { type: "boolean", default: false },
    yes: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  });
  const print = (line: string): void => console.log(line);
  if (values.help) {
    print(usage);
    return 0;
  }
  const options = { ...values, expiresDays: expiryDays(values["expires-days"]) };
  return operate(positionals, options, {
    cloudFormation: awsClient(CloudFormationClient),
    sqs: awsClient(SQSClient),
    database: connect(),
    print,
    ask,
  });
};

try {
  process.exitCode = await main();
} catch (error) {
  console.error(failureSentence(error));
  process.exitCode = 1;
}
