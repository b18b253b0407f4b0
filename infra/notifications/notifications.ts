import { Aws, Duration, Lazy, SecretValue } from "aws-cdk-lib";
import { ApiDestination, Authorization, CfnRule, Connection, HttpParameter } from "aws-cdk-lib/aws-events";
import * as iam from "aws-cdk-lib/aws-iam";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import { eventSource } from "../../lib/events/service-event.ts";
import { DeadLetters } from "../functions/dead-letters.ts";
import type { Destination } from "../settings/notification-settings.ts";
import { kindsOnRequest } from "./event-kinds.ts";
import { inputTransformer } from "./input-transformer.ts";

type Webhook = NonNullable<Destination["webhook"]>;

/** Settings of the events' delivery. */
export interface NotificationSettings {
  readonly stage: string;
  /** Name or ARN of the bus; the account's default bus when absent. */
  readonly eventBus?: string;
  readonly notifications: Readonly<Record<string, Destination>>;
}

/** A receiver of events: an SNS topic, or an API destination with the role that may call it. */
interface Receiver {
  readonly id: string;
  readonly arn: string;
  readonly roleArn?: string;
}

/** Events are sent again for a day; EventBridge's pauses grow, so that as many attempts fit. */
const retryPolicy = { maximumEventAgeInSeconds: Duration.days(1).toSeconds(), maximumRetryAttempts: 185 };

const topicOf = (scope: Construct, emails: readonly string[]): Topic => {
  const topic = new Topic(scope, "Topic", { enforceSSL: true });
  for (const email of emails) topic.addSubscription(new EmailSubscription(email));
  return topic;
};

/** Creates a connection, whose secret only CloudFormation reads, and the destination. @returns the destination's ARN. */
const webhookArn = (scope: Construct, stage: string, { url, secret }: Webhook): string => {
  const value = SecretValue.secretsManager(secret.name);
  const connection = new Connection(scope, "Connection", {
    // EventBridge requires a header. The stage stands in it where the secret is in the body.
    authorization: Authorization.apiKey(
      secret.header ?? "X-Assay-Stage",
      secret.header === undefined ? SecretValue.unsafePlainText(stage) : value,
    ),
    ...(secret.field !== undefined && { bodyParameters: { [secret.field]: HttpParameter.fromSecret(value) } }),
  });
  return new ApiDestination(scope, "Webhook", { connection, endpoint: url }).apiDestinationArn;
};

/** Returns a statement that lets one rule act on a resource, and no other rule. */
const allowRule = (rule: CfnRule, action: string, resource: string): iam.PolicyStatement =>
  new iam.PolicyStatement({
    principals: [
      new iam.ServicePrincipal("events.amazonaws.com", {
        conditions: { ArnEquals: { "aws:SourceArn": rule.attrArn } },
      }),
    ],
    actions: [action],
    resources: [resource],
  });

/**
 * Rules on the event bus that pass the service's events to e-mail addresses and webhooks, by AWS's own parts: no function of the
 * service runs. Each destination has its own rule, so that one that is away delays no other. What cannot be delivered within a day
 * is a dead letter.
 */
export class Notifications extends Construct {
  private readonly deadLetters: DeadLetters;
  private readonly webhookArns: string[] = [];
  private role?: iam.Role;

  constructor(scope: Construct, id: string, settings: NotificationSettings) {
    super(scope, id);
    this.deadLetters = new DeadLetters(this, "DeadLetters");
    this.deadLetters.addWorker({
      shortName: id,
      impact:
        "Somebody was not told of an event: the receiver refused it, or was away for a day. Read the message: it is the event, and its attributes RULE_ARN and ERROR_CODE name destination and reason.",
    });
    for (const [name, destination] of Object.entries(settings.notifications))
      this.addDestination(name, destination, settings);
  }

  private addDestination(
    name: string,
    { emails, webhook, kinds, body }: Destination,
    { stage, eventBus }: NotificationSettings,
  ): void {
    const scope = new Construct(this, name);
    const topic = emails === undefined ? undefined : topicOf(scope, emails);
    const receivers: readonly Receiver[] = [
      ...(topic === undefined ? [] : [{ id: "Topic", arn: topic.topicArn }]),
      ...(webhook === undefined ? [] : [this.webhookReceiver(webhookArn(scope, stage, webhook))]),
    ];
    const { queue } = this.deadLetters;
    const targetOf = (receiver: Receiver): CfnRule.TargetProperty => ({
      ...receiver,
      ...(body !== undefined && { inputTransformer: inputTransformer(body) }),
      retryPolicy,
      deadLetterConfig: { arn: queue.queueArn },
    });
    const rule = new CfnRule(scope, "Rule", {
      description: `Sends events of assay-${stage} to ${name}`,
      ...(eventBus !== undefined && { eventBusName: eventBus }),
      // Stages may share a bus.
      eventPattern: {
        source: [eventSource],
        "detail-type": kinds ?? [{ "anything-but": kindsOnRequest }],
        detail: { stage: [stage] },
      },
      targets: receivers.map(targetOf),
    });
    topic?.addToResourcePolicy(allowRule(rule, "sns:Publish", topic.topicArn));
    queue.addToResourcePolicy(allowRule(rule, "sqs:SendMessage", queue.queueArn));
  }

  /** One role may call the webhooks of all rules: an account has room for 1,000 roles. */
  private webhookReceiver(arn: string): Receiver {
    this.webhookArns.push(arn);
    this.role ??= new iam.Role(this, "Role", {
      assumedBy: new iam.ServicePrincipal("events.amazonaws.com", {
        conditions: { StringEqualsIfExists: { "aws:SourceAccount": Aws.ACCOUNT_ID } },
      }),
      inlinePolicies: {
        Call: new iam.PolicyDocument({
          statements: [
            new iam.PolicyStatement({
              actions: ["events:InvokeApiDestination"],
              resources: Lazy.list({ produce: () => this.webhookArns }),
            }),
          ],
        }),
      },
    });
    return { id: "Webhook", arn, roleArn: this.role.roleArn };
  }
}
