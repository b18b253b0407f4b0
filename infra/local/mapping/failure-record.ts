import { SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { queueUrl } from "../sqs/sqs.ts";

/** Sends a record of a failed invocation to a queue. */
export type FailureDestination = (queueArn: string, record: Readonly<Record<string, unknown>>) => Promise<void>;

/** Creates the sender of failure records. Not supported: destinations other than queues. @param service URL of SQS */
export const failureDestination =
  (client: SQSClient, service: string): FailureDestination =>
  async (queueArn, record) => {
    await client.send(
      new SendMessageCommand({ QueueUrl: queueUrl(service, queueArn), MessageBody: JSON.stringify(record) }),
    );
  };

/** Builds the fields that all failure records of Lambda have. @param calls number of attempts */
export const failureRecord = (functionArn: string, requestId: string, condition: string, calls: number) => ({
  version: "1.0",
  timestamp: new Date().toISOString(),
  requestContext: { requestId, functionArn: `${functionArn}:$LATEST`, condition, approximateInvokeCount: calls },
  responseContext: { statusCode: 200, executedVersion: "$LATEST", functionError: "Unhandled" },
});
