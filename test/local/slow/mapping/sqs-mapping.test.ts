import {
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { localClient } from "../../../../infra/local/host/aws-client.ts";
import {
  eventually,
  type Fixture,
  printedBy,
  atLeast,
  startFixture,
  temporaryDirectory,
} from "../../../support/service/local-fixture.ts";

interface Printed {
  readonly body: string;
  readonly count: string;
  readonly records: number;
}

interface Options {
  readonly code: string;
  readonly mapping?: Readonly<Record<string, unknown>>;
  readonly queue?: Readonly<Record<string, unknown>>;
}

const queues = ({ code, mapping = {}, queue = {} }: Options): Fixture => ({
  functions: { Worker: { code, environment: { QUEUE: { Ref: "Queue" } } } },
  resources: {
    Dead: { Type: "AWS::SQS::Queue", Properties: {} },
    Queue: { Type: "AWS::SQS::Queue", Properties: { VisibilityTimeout: 1, ...queue } },
    Mapping: {
      Type: "AWS::Lambda::EventSourceMapping",
      Properties: {
        EventSourceArn: { "Fn::GetAtt": ["Queue", "Arn"] },
        FunctionName: { Ref: "Worker" },
        FunctionResponseTypes: ["ReportBatchItemFailures"],
        ...mapping,
      },
    },
  },
});

const redrive = (maxReceiveCount: number) => ({
  RedrivePolicy: { deadLetterTargetArn: { "Fn::GetAtt": ["Dead", "Arn"] }, maxReceiveCount },
});

const start = async (options: Options) => {
  const directory = temporaryDirectory();
  const stack = await startFixture(queues(options), directory);
  const client = new SQSClient(localClient(stack.endpoints.SQS));
  const url = (name: string): string => `${stack.endpoints.SQS}/000000000000/${name}`;
  const printed = () => printedBy<Printed>(directory, "Worker");
  const messagesLeft = async (name = "Queue"): Promise<number> => {
    const { Attributes } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl: url(name), AttributeNames: ["All"] }),
    );
    return (
      Number(Attributes?.["ApproximateNumberOfMessages"]) +
      Number(Attributes?.["ApproximateNumberOfMessagesNotVisible"])
    );
  };
  const send = async (...bodies: string[]): Promise<void> => {
    const Entries = bodies.map((MessageBody, index) => ({ Id: String(index), MessageBody }));
    await client.send(new SendMessageBatchCommand({ QueueUrl: url("Queue"), Entries }));
  };
  return { stack, directory, client, url, printed, messagesLeft, send };
};

const prints = `const print = (event) => { for (const { body, attributes } of event.Records)
  console.log(JSON.stringify({ body, count: attributes.ApproximateReceiveCount, records: event.Records.length })); };`;

const bodiesWithCounts = (printed: readonly Printed[]) => printed.map(({ body, count }) => `${body}${count}`).sort();

test("a handled batch is deleted and has the fields of Lambda's event", async () => {
  const { directory, send, messagesLeft } = await start({
    code: `export const handler = async (event) => { console.log(JSON.stringify(event)); };`,
  });

  await send("a");

  const [event] = await eventually(() => atLeast(printedBy<{ Records: unknown[] }>(directory, "Worker")));
  await eventually(async () => ((await messagesLeft()) === 0 ? true : undefined));
  expect(event?.Records[0]).toMatchObject({
    body: "a",
    eventSource: "aws:sqs",
    eventSourceARN: "arn:aws:sqs:us-east-1:000000000000:Queue",
    awsRegion: "us-east-1",
    attributes: { ApproximateReceiveCount: "1" },
  });
});

test("only the reported messages are redelivered, with a higher receive count", async () => {
  const { send, printed, messagesLeft } = await start({
    code: `${prints} export const handler = async (event) => { print(event); return { batchItemFailures: event.Records
      .filter(({ body, attributes }) => body === "bad" && attributes.ApproximateReceiveCount === "1")
      .map(({ messageId }) => ({ itemIdentifier: messageId })) }; };`,
    mapping: { MaximumBatchingWindowInSeconds: 1 },
    queue: { VisibilityTimeout: 2 },
  });

  await send("good", "bad");

  await eventually(() => atLeast(printed(), 3));
  await eventually(async () => ((await messagesLeft()) === 0 ? true : undefined));
  expect(bodiesWithCounts(printed())).toEqual(["bad1", "bad2", "good1"]);
});

test("a thrown error fails the whole batch, and the queue's redrive policy ends the retries", async () => {
  const { send, printed, messagesLeft } = await start({
    code: `${prints} export const handler = async (event) => { print(event); throw new Error("no"); };`,
    queue: { VisibilityTimeout: 2, ...redrive(2) },
    mapping: { MaximumBatchingWindowInSeconds: 1 },
  });

  await send("a", "b");

  await eventually(async () => ((await messagesLeft("Dead")) === 2 ? true : undefined));
  expect(bodiesWithCounts(printed())).toEqual(["a1", "a2", "b1", "b2"]);
});

test("no batch exceeds the mapping's size, and a batching window fills it", async () => {
  const { send, printed } = await start({
    code: `${prints} export const handler = async (event) => print(event);`,
    mapping: { BatchSize: 3, MaximumBatchingWindowInSeconds: 1 },
    queue: { VisibilityTimeout: 30 },
  });

  await send("a", "b", "c", "d", "e");

  const messages = await eventually(() => atLeast(printed(), 5));
  expect(messages.map(({ records }) => records)).toEqual([3, 3, 3, 2, 2]);
});

test("no more calls run at a time than the maximum concurrency", async () => {
  const { directory, send } = await start({
    code: `export const handler = async (event) => { const from = Date.now(); await new Promise((r) => setTimeout(r, 300));
      console.log(JSON.stringify({ from, to: Date.now() })); };`,
    mapping: { BatchSize: 1, ScalingConfig: { MaximumConcurrency: 2 } },
    queue: { VisibilityTimeout: 30 },
  });

  await send("a", "b", "c", "d", "e", "f");

  const spans = await eventually(() => atLeast(printedBy<{ from: number; to: number }>(directory, "Worker"), 6));
  const maxConcurrency = Math.max(
    ...spans.map(({ from }) => spans.filter((span) => span.from <= from && from < span.to).length),
  );
  expect(maxConcurrency).toBe(2);
});

test("messages that match no filter are deleted without a call", async () => {
  const { send, printed, messagesLeft } = await start({
    code: `${prints} export const handler = async (event) => print(event);`,
    mapping: { FilterCriteria: { Filters: [{ Pattern: JSON.stringify({ body: { kind: ["slice"] } }) }] } },
  });

  await send('{"kind":"slice"}', '{"kind":"other"}', "no json");

  await eventually(async () => ((await messagesLeft()) === 0 ? true : undefined));
  await eventually(() => atLeast(printed(), 1));
  expect(printed()).toMatchObject([{ body: '{"kind":"slice"}' }]);
});

test("a worker killed in the middle of a message loses nothing: the message is redelivered", async () => {
  const { stack, directory, send, printed, messagesLeft } = await start({
    code: `${prints} export const handler = async (event) => { print(event);
      if (event.Records[0].attributes.ApproximateReceiveCount === "1") await new Promise((r) => setTimeout(r, 8000)); };`,
  });
  const pids = (): number[] =>
    (JSON.parse(readFileSync(join(directory, "workers.json"), "utf8")) as { Worker?: number[] }).Worker ?? [];

  await send("a");
  await eventually(() => atLeast(printed(), 1));
  const [pid] = pids();
  process.kill(pid ?? 0, "SIGKILL");

  await eventually(async () => ((await messagesLeft()) === 0 ? true : undefined));
  // A worker's output and its reply arrive on different channels.
  await eventually(() => atLeast(printed(), 2));
  expect(bodiesWithCounts(printed())).toEqual(["a1", "a2"]);
  expect(pids()).not.toContain(pid);
  expect(stack.functions.kill("Worker")).toBe(1);
});

test("a handler may set the visibility of its message itself", async () => {
  const { client, url, send, messagesLeft } = await start({
    code: `import { request } from "node:http";
      const post = (target, body) => new Promise((done) => request(process.env.AWS_ENDPOINT_URL_SQS, { method: "POST", headers: {
        "content-type": "application/x-amz-json-1.0", "x-amz-target": "AmazonSQS." + target } }, (r) => r.resume().on("end", done)).end(JSON.stringify(body)));
      export const handler = async ({ Records: [{ receiptHandle, messageId }] }) => {
        await post("ChangeMessageVisibility", { QueueUrl: process.env.QUEUE, ReceiptHandle: receiptHandle, VisibilityTimeout: 3600 });
        return { batchItemFailures: [{ itemIdentifier: messageId }] };
      };`,
  });

  await send("a");
  await new Promise((resolve) => void setTimeout(resolve, 2_500));

  const { Messages } = await client.send(new ReceiveMessageCommand({ QueueUrl: url("Queue") }));
  expect([Messages, await messagesLeft()]).toEqual([undefined, 1]);
});
