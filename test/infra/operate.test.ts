import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { CreateQueueCommand, GetQueueAttributesCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { buildApp } from "fauxqs";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { localClient } from "../../infra/local/host/aws-client.ts";
import { listenOnLoopback } from "../../infra/local/host/loopback-server.ts";
import { operate } from "../../infra/operate/operate.ts";
import { tableOutput } from "../../infra/table-reference.ts";
import { projectKey } from "../../lib/store/access/keys.ts";
import { tableNames } from "../../lib/dynamo/table.ts";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { startDatabase, type TestDatabase } from "../support/database/database.ts";

const account = "000000000000";
const app = buildApp({ logger: false, defaultRegion: "us-east-1" });
let [database, sqs]: [TestDatabase, SQSClient] = [undefined as never, undefined as never];
let [queues, deadLetters, streamLetters] = ["", "", ""];
let stop: () => Promise<void>;
let cloudFormation: CloudFormationClient;

const member = (fields: Readonly<Record<string, string>>): string =>
  `<member>${Object.entries(fields)
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join("")}</member>`;

const reply = (action: string, inner: string): string =>
  `<${action}Response><${action}Result>${inner}</${action}Result></${action}Response>`;

/** CloudFormation's description of the stack: its tables are those of the test, its queues those of this file. */
const answer = (body: string): string => {
  if (body.includes("Action=DescribeStacks")) {
    const outputs = tableNames.map((name) => member({ OutputKey: tableOutput(name), OutputValue: name }));
    return reply(
      "DescribeStacks",
      `<Stacks><member><StackName>assay-blue</StackName><Outputs>${outputs.join("")}</Outputs></member></Stacks>`,
    );
  }
  const resource = (LogicalResourceId: string, PhysicalResourceId: string): string =>
    member({ LogicalResourceId, PhysicalResourceId, ResourceType: "AWS::SQS::Queue" });
  const resources = [
    resource("EvaluationJudgeSliceQueue", queues),
    resource("EvaluationJudgeSliceDeadLettersQueue", deadLetters),
    resource("TraceUpkeepAggregateTracesDeadLettersQueue", streamLetters),
  ];
  return reply("ListStackResources", `<StackResourceSummaries>${resources.join("")}</StackResourceSummaries>`);
};

beforeAll(async () => {
  database = await startDatabase();
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  sqs = new SQSClient(localClient(url));
  const server = await listenOnLoopback(
    createServer((request, response) => void text(request).then((body) => response.end(answer(body)))),
  );
  cloudFormation = new CloudFormationClient({
    endpoint: server.url,
    region: "us-east-1",
    credentials: { accessKeyId: "id", secretAccessKey: "secret" },
  });
  stop = async () => {
    await server.close();
    await app.close();
    await database.close();
  };
});
afterAll(() => stop());

beforeEach(async () => {
  const create = async (name: string, Attributes: Record<string, string> = {}): Promise<string> =>
    (await sqs.send(new CreateQueueCommand({ QueueName: `${name}-${randomUUID()}`, Attributes }))).QueueUrl ?? "";
  deadLetters = await create("dead");
  streamLetters = await create("streams");
  const deadLetterTargetArn = `arn:aws:sqs:us-east-1:${account}:${deadLetters.split("/").at(-1)}`;
  queues = await create("slices", { RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 3 }) });
});

const send = (QueueUrl: string, body: unknown): Promise<unknown> =>
  sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(body) }));

const numberIn = async (QueueUrl: string): Promise<number> => {
  const AttributeNames = ["ApproximateNumberOfMessages" as const];
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
  return Number(Attributes?.["ApproximateNumberOfMessages"]);
};

const failure = {
  version: "1.0",
  timestamp: "2026-11-21T09:00:00.000Z",
  requestContext: {
    functionArn: "arn:aws:lambda:eu-central-1:123456789012:function:assay-blue-aggregate-traces:$LATEST",
    condition: "RetryAttemptsExhausted",
  },
  DDBStreamBatchInfo: { shardId: "shardId-1", startSequenceNumber: "1", endSequenceNumber: "2" },
};

/**
 * Runs a command.
 * @returns its exit code and its output
 */
const runCommand = async (
  words: readonly string[],
  options: { readonly discard?: boolean; readonly project?: string } = {},
) => {
  const lines: string[] = [];
  const choices = { stage: "blue", discard: false, ...options };
  const code = await operate(words, choices, { cloudFormation, sqs, database, print: (line) => lines.push(line) });
  return { code, lines };
};

test("dead letters of each queue are counted, and other queues are ignored", async () => {
  await send(deadLetters, { run: "a" });
  await send(queues, { run: "b" });

  expect(await runCommand(["dead-letters"])).toEqual({
    code: 0,
    lines: ["EvaluationJudgeSliceDeadLettersQueue: 1 letter", "TraceUpkeepAggregateTracesDeadLettersQueue: 0 letters"],
  });
});

test("a dead letter from a queue is sent to it again unchanged; a report of a failure stays, and its function is named", async () => {
  for (const run of ["a", "b", "c"]) await send(deadLetters, { run });
  await send(streamLetters, failure);

  const { code, lines } = await runCommand(["redrive"]);

  expect(code).toBe(0);
  expect(lines).toEqual([
    "EvaluationJudgeSliceDeadLettersQueue: 3 sent again, 0 discarded, 0 left",
    "TraceUpkeepAggregateTracesDeadLettersQueue: 0 sent again, 0 discarded, 1 left",
    "  2026-11-21T09:00:00.000Z assay-blue-aggregate-traces: RetryAttemptsExhausted",
  ]);
  expect([await numberIn(queues), await numberIn(deadLetters)]).toEqual([3, 0]);
});

test("with the option, reports of failures are discarded, and never a message", async () => {
  await send(deadLetters, { run: "a" });
  await send(deadLetters, failure);
  await send(streamLetters, failure);

  expect((await runCommand(["redrive"], { discard: true })).lines).toEqual([
    "EvaluationJudgeSliceDeadLettersQueue: 1 sent again, 1 discarded, 0 left",
    "TraceUpkeepAggregateTracesDeadLettersQueue: 0 sent again, 1 discarded, 0 left",
  ]);
  expect([await numberIn(queues), await numberIn(streamLetters)]).toEqual([1, 0]);
});

test("sums are compared for an existing project only", async () => {
  const project = randomUUID();
  await database.client.send(new PutCommand({ TableName: "access", Item: projectKey(project) }));

  expect((await runCommand(["rebuild", "counters"], { project })).lines.slice(-3)).toEqual([
    "0 hours of traces compared, 0 recomputed.",
    "0 hours of scores compared, 0 marked: repaired after a day.",
    "0 lists marked: repaired after ten minutes. Totals of traces are being recounted.",
  ]);
  await expect(runCommand(["rebuild", "counters"], { project: randomUUID() })).rejects.toThrow("There is no project");
});

test.each([[[]], [["rebuild"]], [["rebuild", "counters"]], [["redrive", "all"]]])(
  "%j is an unknown command: the commands are printed, and nothing is done",
  async (words) => {
    await send(deadLetters, { run: "a" });

    const { code, lines } = await runCommand(words);

    expect([code, lines[0]]).toEqual([1, expect.stringContaining("npm run operate -- redrive")]);
    expect(await numberIn(deadLetters)).toBe(1);
  },
);
