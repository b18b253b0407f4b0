import type { Message } from "@aws-sdk/client-sqs";
import { place } from "../template/arn.ts";

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

/** A message as the function's event carries it. */
export const sqsRecord = (message: Message, queueArn: string) => ({
  messageId: message.MessageId,
  receiptHandle: message.ReceiptHandle,
  body: message.Body,
  attributes: message.Attributes,
  messageAttributes: attributesOf(message),
  md5OfBody: message.MD5OfBody,
  eventSource: "aws:sqs",
  eventSourceARN: queueArn,
  awsRegion: place.region,
});

/** A message as filters see it: a body that is JSON is looked into. */
export const filteredMessage = (message: Message): unknown => {
  let body: unknown = message.Body;
  try {
    body = JSON.parse(message.Body ?? "");
  } catch {
    // Stays the text it is.
  }
  return {
    body,
    messageId: message.MessageId,
    attributes: message.Attributes,
    messageAttributes: attributesOf(message),
  };
};
