import { ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { localClient } from "../../../../infra/local/host/aws-client.ts";
import type { LocalStack } from "../../../../infra/local/local-stack.ts";
import {
  eventually,
  printedBy,
  atLeast,
  startFixture,
  temporaryDirectory,
} from "../../../support/service/local-fixture.ts";

const queue = { Type: "AWS::SQS::Queue" };

const everyMinute = (target: Readonly<Record<string, unknown>>) => ({
  Type: "AWS::Scheduler::Schedule",
  Properties: {
    ScheduleExpression: "rate(1 minute)",
    FlexibleTimeWindow: { Mode: "OFF" },
    Target: { RoleArn: "role", ...target },
  },
});

const received = async (stack: LocalStack, name: string): Promise<Record<string, unknown>> => {
  const client = new SQSClient(localClient(stack.endpoints.SQS));
  const QueueUrl = `${stack.endpoints.SQS}/000000000000/${name}`;
  const body = await eventually(async () => {
    const { Messages } = await client.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 1 }));
    return Messages?.[0]?.Body;
  });
  return JSON.parse(body) as Record<string, unknown>;
};

test("a schedule sends its message to a queue with its placeholders filled in", async () => {
  const stack = await startFixture({
    resources: {
      Queue: queue,
      Tick: everyMinute({
        Arn: { "Fn::GetAtt": ["Queue", "Arn"] },
        Input: '{"at":"<aws.scheduler.scheduled-time>","id":"<aws.scheduler.execution-id>"}',
      }),
    },
  });

  const message = await received(stack, "Queue");

  expect(message).toEqual({
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
});

test("a rate does not fire again because the runtime restarted", async () => {
  const directory = temporaryDirectory();
  const stack = await startFixture(
    {
      functions: { Sweep: { code: `export const handler = async () => { console.log("{}"); };` } },
      resources: { Tick: everyMinute({ Arn: { "Fn::GetAtt": ["Sweep", "Arn"] } }) },
    },
    directory,
  );
  await eventually(() => atLeast(printedBy(directory, "Sweep")));

  await stack.restart();
  await new Promise((resolve) => void setTimeout(resolve, 1_500));

  expect(printedBy(directory, "Sweep")).toHaveLength(1);
});

test("a failed asynchronous call is sent to its destination", async () => {
  const stack = await startFixture({
    functions: { Sweep: { code: `export const handler = async () => { throw new Error("broken"); };` } },
    resources: {
      Dead: queue,
      Tick: everyMinute({ Arn: { "Fn::GetAtt": ["Sweep", "Arn"] }, Input: '{"a":1}' }),
      Failures: {
        Type: "AWS::Lambda::EventInvokeConfig",
        Properties: {
          FunctionName: { Ref: "Sweep" },
          Qualifier: "$LATEST",
          MaximumRetryAttempts: 0,
          DestinationConfig: { OnFailure: { Destination: { "Fn::GetAtt": ["Dead", "Arn"] } } },
        },
      },
    },
  });

  expect(await received(stack, "Dead")).toMatchObject({
    requestContext: { condition: "RetriesExhausted", approximateInvokeCount: 1 },
    requestPayload: { a: 1 },
    responsePayload: { errorMessage: "broken" },
  });
});
