import { CreateQueueCommand, SQSClient } from "@aws-sdk/client-sqs";
import { buildApp } from "fauxqs";
import { localClient } from "../host/aws-client.ts";
import type { Endpoint } from "../host/loopback-server.ts";
import { arn } from "../template/arn.ts";
import type { Resolver } from "../template/intrinsics.ts";

const copiedAttributes = [
  "VisibilityTimeout",
  "DelaySeconds",
  "MessageRetentionPeriod",
  "ReceiveMessageWaitTimeSeconds",
  "MaximumMessageSize",
  "FifoQueue",
  "ContentBasedDeduplication",
] as const;

const attributesOf = (properties: Readonly<Record<string, unknown>>): Record<string, string> => {
  const attributes = copiedAttributes.flatMap((name) =>
    name in properties ? [[name, String(properties[name])] as const] : [],
  );
  const redrive = properties["RedrivePolicy"];
  return {
    ...Object.fromEntries(attributes),
    ...(redrive !== undefined && { RedrivePolicy: JSON.stringify(redrive) }),
  };
};

/**
 * Starts SQS: the in-memory emulator fauxqs with the template's queues.
 *
 * Not supported: messages that survive a restart (unfinished work is sent again from the database), several messages of one FIFO
 * group in a batch, message groups on standard queues, redrive from dead-letter queues, queue policies.
 */
export const startSqs = async (resolver: Resolver): Promise<Endpoint> => {
  const app = buildApp({ logger: false, defaultRegion: "us-east-1" });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const client = new SQSClient(localClient(url));
  const queues = resolver.resources("AWS::SQS::Queue");
  const nameOf = (id: string, properties: Readonly<Record<string, unknown>>): string => {
    const name = resolver.nameOf(id);
    return String(properties["FifoQueue"]) === "true" && !name.endsWith(".fifo") ? `${name}.fifo` : name;
  };
  for (const { id, properties } of queues) {
    const name = nameOf(id, properties);
    resolver.describe(id, {
      ref: `${url}/000000000000/${name}`,
      attributes: { Arn: arn("sqs", name), QueueName: name, QueueUrl: `${url}/000000000000/${name}` },
    });
  }
  // Dead-letter queues are created first, because a redrive policy may only refer to an existing queue.
  const withDeadLettersFirst = resolver
    .resources("AWS::SQS::Queue")
    .sort((a, b) => Number("RedrivePolicy" in a.properties) - Number("RedrivePolicy" in b.properties));
  for (const { id, properties } of withDeadLettersFirst)
    await client.send(
      new CreateQueueCommand({ QueueName: nameOf(id, properties), Attributes: attributesOf(properties) }),
    );
  client.destroy();
  return {
    url,
    close: async () => {
      await app.close();
    },
  };
};

/** Returns the URL of a queue. @param service URL of SQS */
export const queueUrl = (service: string, queueArn: string): string =>
  `${service}/000000000000/${queueArn.split(":").at(-1) ?? ""}`;
