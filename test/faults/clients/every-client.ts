import { GetItemCommand } from "@aws-sdk/client-dynamodb";
import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { SQSClient } from "@aws-sdk/client-sqs";
import { randomUUID } from "node:crypto";
import { vi } from "vitest";
import { awsClient } from "../../../lib/aws/aws-client.ts";
import type { CallBounds } from "../../../lib/aws/call-bounds.ts";
import { eventBus } from "../../../lib/events/event-bus.ts";
import { controlPlane, controlPlaneClient } from "../../../lib/gateway-keys/control-plane.ts";
import { monitorSchedules, schedulerClient } from "../../../lib/monitors/schedules.ts";
import { parameterReader, parameterStore } from "../../../lib/parameters/parameters.ts";
import { firingQueue } from "../../../lib/queue/firing-queue.ts";
import { judgeQueue } from "../../../lib/queue/judge-queue.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { rawQuery } from "../../../lib/dynamo/raw-query.ts";

/** An AWS call of the service, made through the service's own client. */
export interface AwsCall {
  /** Service name as in `AWS_ENDPOINT_URL_...`. */
  readonly service: string;
  readonly send: (bounds: CallBounds, url: string) => Promise<unknown>;
}

const settings = { group: "g", roleArn: "r", queueArn: "q", deadLettersArn: "d" };
const slice = { project: "p", run: "r", slice: "s" };
const firing = { project: "p", monitor: "m", generation: 1, scheduledAt: 0 };
const query = { TableName: "rows", KeyConditionExpression: "pk = :pk", ExpressionAttributeValues: { ":pk": "p" } };

const event = { detailType: "Invitation Created", detail: {}, time: "2026-11-21T09:00:00Z" };

/** A call for each AWS client of the service. */
export const awsCalls: readonly AwsCall[] = [
  {
    service: "DYNAMODB",
    send: (bounds) => connect(bounds).client.send(new GetItemCommand({ TableName: "rows", Key: { pk: { S: "p" } } })),
  },
  { service: "DYNAMODB", send: (bounds) => rawQuery(connect(bounds), query) },
  {
    service: "SQS",
    send: (bounds, url) => judgeQueue(`${url}/1/slices`, awsClient(SQSClient, bounds)).send([slice]),
  },
  {
    service: "SQS",
    send: (bounds, url) => firingQueue(`${url}/1/firings`, awsClient(SQSClient, bounds)).send(firing),
  },
  { service: "SSM", send: (bounds) => parameterReader(parameterStore(bounds), Date.now)("/assay/key") },
  {
    service: "SCHEDULER",
    send: (bounds) => monitorSchedules(settings, schedulerClient(bounds)).remove(randomUUID(), randomUUID()),
  },
  { service: "EVENTBRIDGE", send: (bounds) => eventBus(awsClient(EventBridgeClient, bounds)).put([event]) },
  {
    service: "API_GATEWAY",
    send: (bounds) =>
      controlPlane(
        controlPlaneClient(bounds),
        async () => "plan",
        (call) => call(),
      ).createKey("name", "value"),
  },
];

/** Redirects every client of an AWS service created from now on to a server, until `vi.unstubAllEnvs()`. */
export const redirectService = (service: string, url: string): void => {
  vi.stubEnv(`AWS_ENDPOINT_URL_${service}`, url);
  vi.stubEnv("AWS_REGION", "us-east-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "key");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
};
