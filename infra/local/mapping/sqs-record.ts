import type { Message } from "@aws-sdk/client-sqs";
import { awsLocation } from "../template/arn.ts";

const attributesOf = (message: Message) =>
  Object.fromEntries(
    Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [
      name,
      {
        stringValue: value.StringValue,
        binaryValue: value.BinaryValue && Buffer.from(value.BinaryValue).toString("base64"),
        stringListValues: [],
        binaryListValues: [],
        dataType: value.DataType,
      },
    ]),
  );

/** Converts a message to a record of Lambda's SQS event. */
export const sqsRecord = (message: Message, queueArn: string) => ({
  messageId: message.MessageId,
  receiptHandle: message.ReceiptHandle,
  body: message.Body,
  attributes: message.Attributes,
  messageAttributes: attributesOf(message),
  md5OfBody: message.MD5OfBody,
  eventSource: "aws:sqs",
  eventSourceARN: queueArn,
  awsRegion: awsLocation.region,
});

/** Converts a message to the form that filter patterns match: a JSON body is parsed. */
export const filteredMessage = (message: Message): unknown => {
  let body: unknown = message.Body;
  try {
    body = JSON.parse(message.Body ?? "");
  } catch {
    // A body that is not JSON stays text.
  }
  return {
    body,
    messageId: message.MessageId,
    attributes: message.Attributes,
    messageAttributes: attributesOf(message),
  };
};
