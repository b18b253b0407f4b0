import type { SQSEvent } from "aws-lambda";
import { writeSliceMessage } from "../../../lib/queue/slice-message.ts";
import type { Delivery } from "./queue-model.ts";

/** A delivery as the SQS event that Lambda passes to a function. */
export const sqsEvent = ({ slice, handle, receives, sentAt }: Delivery): SQSEvent => ({
  Records: [
    {
      messageId: handle,
      receiptHandle: handle,
      body: writeSliceMessage(slice),
      attributes: {
        ApproximateReceiveCount: String(receives),
        SentTimestamp: String(sentAt),
        SenderId: "sender",
        ApproximateFirstReceiveTimestamp: String(sentAt),
      },
      messageAttributes: {},
      md5OfBody: "",
      eventSource: "aws:sqs",
      eventSourceARN: "arn:aws:sqs:eu-central-1:123456789012:judge",
      awsRegion: "eu-central-1",
    },
  ],
});
