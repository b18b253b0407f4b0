import { CreateQueueCommand, SQSClient } from "@aws-sdk/client-sqs";
import { buildApp } from "fauxqs";
import { localClient } from "../host/aws-client.ts";
import type { Endpoint } from "../host/loopback-server.ts";
import { arn } from "../template/arn.ts";
import type { Resolver } from "../template/intrinsics.ts";

const copied = [
  "VisibilityTimeout",
  "DelaySeconds",
  "MessageRetentionPeriod",
  "ReceiveMessageWaitTimeSeconds",
  "MaximumMessageSize",
  "FifoQueue",
  "ContentBasedDeduplication",
] as const;

const attributesOf = (properties: Readonly<Record<string, unknown>>): Record<string, string> => {
  const attributes = copied.flatMap((name) => (name in properties ? [[name, String(properties[name])] as const] : []));
  const redrive = properties["RedrivePolicy"];
  return {
    ...Object.fromEntries(attributes),
    ...(redrive !== undefined && { RedrivePolicy: JSON.stringify(redrive) }),
  };
};

/**
 * SQS: fauxqs in memory with the template's queues.
 *
 * Does not do: keep messages over a restart (what is unfinished comes back from the database), several messages of one
 * FIFO group in a batch, message groups on standard queues, moving messages out of dead letters, queue policies.
 */
export const startSqs = async (resolver: Resolver): Promise<Endpoint> => {
  const app = buildApp({ logger: false, defaultRegion: "us-east-1" });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const client = new SQSClient(localClient(url));
  const described = resolver.resources("AWS::SQS::Queue");
  const nameOf = (id: string, properties: Readonly<Record<string, unknown>>): string => {
    const name = resolver.nameOf(id);
    return String(properties["FifoQueue"]) === "true" && !name.endsWith(".fifo") ? `${name}.fifo` : name;
  };
  for (const { id, properties } of described) {
    const name = nameOf(id, properties);
    resolver.describe(id, {
      ref: `${url}/000000000000/${name}`,
      attributes: { Arn: arn("sqs", name), QueueName: name, QueueUrl: `${url}/000000000000/${name}` },
    });
  }
  // Dead letters first: a queue may only name dead letters that exist.
  const withDeadLettersFirst = resolver
    .resources("AWS::SQS::Queue")
    .sort((left, right) => Number("RedrivePolicy" in left.properties) - Number("RedrivePolicy" in right.properties));
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

/** The URL of a queue, from its ARN and the service's address. */
export const queueUrl = (service: string, queueArn: string): string =>
  `${service}/000000000000/${queueArn.split(":").at(-1) ?? ""}`;
