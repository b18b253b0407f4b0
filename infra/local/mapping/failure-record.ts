import { SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { queueUrl } from "../sqs/sqs.ts";

/** Tells a queue that something was given up. */
export type FailureDestination = (queueArn: string, record: Readonly<Record<string, unknown>>) => Promise<void>;

/** Makes the sender of failure records. Does not do: destinations other than queues. */
export const failureDestination =
  (client: SQSClient, service: string): FailureDestination =>
  async (queueArn, record) => {
    await client.send(
      new SendMessageCommand({ QueueUrl: queueUrl(service, queueArn), MessageBody: JSON.stringify(record) }),
    );
  };

/** The parts that Lambda's failure records share. */
export const failureRecord = (functionArn: string, requestId: string, condition: string, calls: number) => ({
  version: "1.0",
  timestamp: new Date().toISOString(),
  requestContext: { requestId, functionArn: `${functionArn}:$LATEST`, condition, approximateInvokeCount: calls },
  responseContext: { statusCode: 200, executedVersion: "$LATEST", functionError: "Unhandled" },
});
