/** Entry point of `npm run operate`: maintenance commands for a deployed stage, with the operator's AWS credentials and Region. */
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { SQSClient } from "@aws-sdk/client-sqs";
import { parseArgs } from "node:util";
import { awsClient } from "../../lib/aws/aws-client.ts";
import { connect } from "../../lib/dynamo/database.ts";
import { operate, usage } from "./operate.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    stage: { type: "string", default: "dev" },
    project: { type: "string" },
    discard: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

try {
  if (values.help) console.log(usage);
  else
    process.exitCode = await operate(positionals, values, {
      cloudFormation: awsClient(CloudFormationClient),
      sqs: awsClient(SQSClient),
      database: connect(),
      print: (line) => console.log(line),
    });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
