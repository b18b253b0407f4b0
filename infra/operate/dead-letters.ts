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

/** A queue of what workers gave up, and those that send to it by themselves. */
export interface DeadLetterQueue {
  /** Its logical id in the stack. */
  readonly name: string;
  readonly url: string;
  /** URLs of the queues whose messages come here. */
  readonly sources: readonly string[];
  readonly letters: number;
}

const redrivePolicy = v.pipe(v.string(), v.parseJson(), v.object({ deadLetterTargetArn: v.string() }));

/** The queues of dead letters of a stage. */
export const deadLetterQueues = async (
  client: CloudFormationClient,
  sqs: SQSClient,
  stage: string,
): Promise<readonly DeadLetterQueue[]> => {
  const found: {
    readonly name: string;
    readonly url: string;
    readonly attributes?: Record<string, string> | undefined;
  }[] = [];
  for await (const page of paginateListStackResources({ client }, { StackName: `assay-${stage}` })) {
    for (const { ResourceType, LogicalResourceId, PhysicalResourceId: QueueUrl } of page.StackResourceSummaries ?? []) {
      if (ResourceType !== "AWS::SQS::Queue" || LogicalResourceId === undefined || QueueUrl === undefined) continue;
      const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }));
      found.push({ name: LogicalResourceId, url: QueueUrl, attributes: Attributes });
    }
  }
  const targetOf = ({ attributes }: (typeof found)[number]): string | undefined => {
    const policy = v.safeParse(redrivePolicy, attributes?.["RedrivePolicy"]);
    return policy.success ? policy.output.deadLetterTargetArn : undefined;
  };
  return found
    .filter(({ name }) => name.includes("DeadLetters"))
    .map(({ name, url, attributes }) => ({
      name,
      url,
      sources: found.filter((queue) => targetOf(queue) === attributes?.["QueueArn"]).map((queue) => queue.url),
      letters: Number(attributes?.["ApproximateNumberOfMessages"] ?? 0),
    }));
};

/** What Lambda writes of an event that its function failed at: where it lay, not what it was. */
const failure = v.object({
  timestamp: v.string(),
  requestContext: v.object({ functionArn: v.string(), condition: v.string() }),
});

/** What a letter tells, nothing of its content. */
interface Letter {
  /** What a worker was told by a queue, and may be told again. */
  readonly kind: "message" | "failure";
  /** When it was given up, or sent; `YYYY-MM-DDTHH:MM:SS.sssZ`. */
  readonly at: string;
  /** The function and the reason, where the letter says them. */
  readonly told: string;
}

const readLetter = ({ Body = "", Attributes }: Message): Letter => {
  let body: unknown;
  try {
    body = JSON.parse(Body);
  } catch {
    body = null;
  }
  if (v.is(failure, body)) {
    const { timestamp, requestContext } = body;
    // A function's ARN may end with a version.
    const name = requestContext.functionArn.split(":")[6] ?? requestContext.functionArn;
    return { kind: "failure", at: timestamp, told: `${name}: ${requestContext.condition}` };
  }
  return { kind: "message", at: new Date(Number(Attributes?.SentTimestamp ?? 0)).toISOString(), told: "a message" };
};

/** Seconds for which a letter that is being looked at is hidden from others: longer than what is done to it takes. */
const lookSeconds = 60;

const receive = async (sqs: SQSClient, { url }: DeadLetterQueue): Promise<readonly Message[]> => {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: url,
      MaxNumberOfMessages: 10,
      VisibilityTimeout: lookSeconds,
      WaitTimeSeconds: 1,
      MessageSystemAttributeNames: ["SentTimestamp"],
      MessageAttributeNames: ["All"],
    }),
  );
  return Messages;
};

/** What became of the letters of a queue. */
export interface Redriven {
  readonly sent: number;
  readonly discarded: number;
  /** Letters that are still there: nothing can be sent again of what a stream's worker gave up. */
  readonly left: readonly Letter[];
}

/**
 * Sends what came from a queue to it again, each message before its letter is deleted: a message may come twice, which workers
 * bear, and none is lost.
 *
 * @param discard whether letters are deleted that only tell of a failure.
 * @param most letters that are looked at.
 */
export const redrive = async (
  sqs: SQSClient,
  queue: DeadLetterQueue,
  { discard, most }: { readonly discard: boolean; readonly most: number },
): Promise<Redriven> => {
  const [source, ...others] = queue.sources;
  let [sent, discarded] = [0, 0];
  const left: Letter[] = [];
  while (sent + discarded + left.length < most) {
    const messages = await receive(sqs, queue);
    if (messages.length === 0) break;
    for (const message of messages) {
      const letter = readLetter(message);
      const isSent = letter.kind === "message" && source !== undefined && others.length === 0;
      if (isSent)
        await sqs.send(
          new SendMessageCommand({
            QueueUrl: source,
            MessageBody: message.Body,
            MessageAttributes: message.MessageAttributes,
          }),
        );
      // Where no queue sends anything, a letter only tells what failed.
      const isTold = letter.kind === "failure" || source === undefined;
      if (!isSent && !(discard && isTold)) {
        left.push(letter);
        continue;
      }
      await sqs.send(new DeleteMessageCommand({ QueueUrl: queue.url, ReceiptHandle: message.ReceiptHandle }));
      if (isSent) sent += 1;
      else discarded += 1;
    }
  }
  return { sent, discarded, left };
};
