import { type CloudFormationClient, paginateListStackResources } from "@aws-sdk/client-cloudformation";
import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type Message,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import * as v from "valibot";
import { eventSource } from "../../lib/events/service-event.ts";

/** A dead-letter queue of a stage, and the queues that use it. */
export interface DeadLetterQueue {
  /** Logical id in the stack. */
  readonly name: string;
  readonly url: string;
  /** URLs of the queues whose failed messages are moved here. */
  readonly sources: readonly string[];
  readonly letterCount: number;
}

const redrivePolicy = v.pipe(v.string(), v.parseJson(), v.object({ deadLetterTargetArn: v.string() }));

/** Lists the dead-letter queues of a stage. */
export const deadLetterQueues = async (
  client: CloudFormationClient,
  sqs: SQSClient,
  stage: string,
): Promise<readonly DeadLetterQueue[]> => {
  const queues: {
    readonly name: string;
    readonly url: string;
    readonly attributes?: Record<string, string> | undefined;
  }[] = [];
  for await (const page of paginateListStackResources({ client }, { StackName: `assay-${stage}` })) {
    for (const { ResourceType, LogicalResourceId, PhysicalResourceId: QueueUrl } of page.StackResourceSummaries ?? []) {
      if (ResourceType !== "AWS::SQS::Queue" || LogicalResourceId === undefined || QueueUrl === undefined) continue;
      const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }));
      queues.push({ name: LogicalResourceId, url: QueueUrl, attributes: Attributes });
    }
  }
  const targetOf = ({ attributes }: (typeof queues)[number]): string | undefined => {
    const policy = v.safeParse(redrivePolicy, attributes?.["RedrivePolicy"]);
    return policy.success ? policy.output.deadLetterTargetArn : undefined;
  };
  return queues
    .filter(({ name }) => name.includes("DeadLetters"))
    .map(({ name, url, attributes }) => ({
      name,
      url,
      sources: queues.filter((queue) => targetOf(queue) === attributes?.["QueueArn"]).map((queue) => queue.url),
      letterCount: Number(attributes?.["ApproximateNumberOfMessages"] ?? 0),
    }));
};

/** Lambda's failure record for a stream batch or an asynchronous event: function and reason, not the records. */
const failure = v.object({
  timestamp: v.string(),
  requestContext: v.object({ functionArn: v.string(), condition: v.string() }),
});

/** An event that EventBridge could not deliver. Its id is that of the event's other deliveries. */
const undelivered = v.object({
  source: v.literal(eventSource),
  "detail-type": v.string(),
  time: v.string(),
  detail: v.object({ id: v.string() }),
});

/** Kind, time and reason of a dead letter, without its content. */
interface Letter {
  /** `message`: a queue message, which can be sent again; `failure`: a failure record of Lambda, or an event that was not delivered. */
  readonly kind: "message" | "failure";
  /** Time of the failure, or when the message was sent; `YYYY-MM-DDTHH:MM:SS.sssZ`. */
  readonly at: string;
  /** Function or rule, and reason of a failure; `a message` otherwise. */
  readonly summary: string;
}

const readLetter = ({ Body = "", Attributes, MessageAttributes = {} }: Message): Letter => {
  let body: unknown;
  try {
    body = JSON.parse(Body);
  } catch {
    body = null;
  }
  if (v.is(failure, body)) {
    const { timestamp, requestContext } = body;
    // A function's ARN can end with a version.
    const name = requestContext.functionArn.split(":")[6] ?? requestContext.functionArn;
    return { kind: "failure", at: timestamp, summary: `${name}: ${requestContext.condition}` };
  }
  if (v.is(undelivered, body)) {
    const [rule = "", code = ""] = ["RULE_ARN", "ERROR_CODE"].map((name) => MessageAttributes[name]?.StringValue);
    const summary = `${rule.split("/").at(-1)}: ${code} (${body["detail-type"]} ${body.detail.id})`;
    return { kind: "failure", at: body.time, summary };
  }
  return { kind: "message", at: new Date(Number(Attributes?.SentTimestamp ?? 0)).toISOString(), summary: "a message" };
};

/** Visibility timeout of received letters, in seconds; longer than sending and deleting ten messages takes. */
const hiddenSeconds = 60;

const receive = async (sqs: SQSClient, { url }: DeadLetterQueue): Promise<readonly Message[]> => {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: url,
      MaxNumberOfMessages: 10,
      VisibilityTimeout: hiddenSeconds,
      WaitTimeSeconds: 1,
      MessageSystemAttributeNames: ["SentTimestamp"],
      MessageAttributeNames: ["All"],
    }),
  );
  return Messages;
};

/** Result of redriving one dead-letter queue. */
export interface RedriveResult {
  readonly sentCount: number;
  readonly discardedCount: number;
  /** Letters that remain in the queue, such as failure records, which cannot be sent again. */
  readonly remaining: readonly Letter[];
}

/**
 * Sends dead messages to their source queue again. Each message is sent before its dead letter is deleted: a message may be
 * delivered twice, which workers tolerate, and none is lost.
 *
 * @param discard true to delete letters that cannot be sent again.
 * @param maxLetters maximum number of letters to process.
 */
export const redrive = async (
  sqs: SQSClient,
  queue: DeadLetterQueue,
  { discard, maxLetters }: { readonly discard: boolean; readonly maxLetters: number },
): Promise<RedriveResult> => {
  const [source, ...otherSources] = queue.sources;
  let [sentCount, discardedCount] = [0, 0];
  const remaining: Letter[] = [];
  while (sentCount + discardedCount + remaining.length < maxLetters) {
    const messages = await receive(sqs, queue);
    if (messages.length === 0) break;
    for (const message of messages) {
      const letter = readLetter(message);
      const isSent = letter.kind === "message" && source !== undefined && otherSources.length === 0;
      if (isSent)
        await sqs.send(
          new SendMessageCommand({
            QueueUrl: source,
            MessageBody: message.Body,
            MessageAttributes: message.MessageAttributes,
          }),
        );
      // Without a source queue every letter is only a report of a failure.
      const isReportOnly = letter.kind === "failure" || source === undefined;
      if (!isSent && !(discard && isReportOnly)) {
        remaining.push(letter);
        continue;
      }
      await sqs.send(new DeleteMessageCommand({ QueueUrl: queue.url, ReceiptHandle: message.ReceiptHandle }));
      if (isSent) sentCount += 1;
      else discardedCount += 1;
    }
  }
  return { sentCount, discardedCount, remaining };
};
