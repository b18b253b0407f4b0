import { Annotations, Aws, Duration, Stack } from "aws-cdk-lib";
import { Alarm } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { type ITopic, Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct, type IConstruct } from "constructs";
import { nearestName } from "../lib/domain/nearest-name.ts";
import { serviceAlarm } from "./alarm.ts";
import type { Api } from "./api/api.ts";
import { ServiceDashboard } from "./dashboard.ts";
import { DeadLetters } from "./functions/dead-letters.ts";
import { QueueWorker } from "./functions/queue-worker.ts";
import type { StackParts } from "./functions/service-function.ts";
import { StreamWorker } from "./functions/stream-worker.ts";
import { Worker } from "./functions/worker.ts";
import type { Monitors } from "./monitors.ts";
import { MoreAlarms } from "./more-alarms.ts";
import { publishedMetric } from "./published-metric.ts";

/** As an alarm's name begins behind the stack's, and as the page of alarms calls it. */
const alarmName = ({ node }: Alarm): string => node.path.split("/").slice(1).join("");

/** The alarms on the service as a whole, where all alarms of the stack go, and the dashboard. Made last: it collects what the others made. */
export class Operations extends Construct {
  constructor(scope: Construct, id: string, { settings, data }: StackParts, api: Api, monitors: Monitors) {
    super(scope, id);
    const { stage } = settings;
    const moreAlarms = settings.moreAlarms || settings.alarms?.some((name) => name.startsWith("OperationsMore"));
    this.alarms(stage, api);
    const [streams, queues] = [this.made(StreamWorker), this.made(QueueWorker)];
    if (moreAlarms)
      new MoreAlarms(this, "More", {
        stage,
        data,
        scheduleGroup: monitors.scheduleGroup,
        workers: [...streams, ...queues].map(({ worker }) => worker),
      });
    new ServiceDashboard(this, "Dashboard", {
      stage,
      api,
      workers: this.made(Worker),
      streams,
      queues,
      deadLetters: this.made(DeadLetters),
    });
    if (settings.alarms !== undefined) this.keepAlarms(settings.alarms);
    const topics = this.topics(settings);
    if (topics.length === 0)
      Annotations.of(this).addWarningV2(
        "assay:silent-alarms",
        "No alarm reaches anybody: say where alarms go in the setting alarmEmail or alarmTopicArn.",
      );
    for (const topic of topics) for (const alarm of this.made(Alarm)) alarm.addAlarmAction(new SnsAction(topic));
  }

  /** Leaves the alarms that are named. @throws Error naming what is no alarm. */
  private keepAlarms(wanted: readonly string[]): void {
    const alarms = new Map(this.made(Alarm).map((alarm) => [alarmName(alarm), alarm]));
    for (const name of wanted) {
      if (alarms.has(name)) continue;
      const meant = nearestName(name, [...alarms.keys()]);
      const end = meant === null ? "." : `; did you mean ${meant}?`;
      throw new Error(`The setting alarms names ${JSON.stringify(name)}, which is no alarm${end}`);
    }
    for (const [name, { node }] of alarms) if (!wanted.includes(name)) node.scope?.node.tryRemoveChild(node.id);
  }

  /** Where alarms go: a topic of the stack's own, whose subscriber is the operator's address, and one that is there already. */
  private topics({ alarmEmail, alarmTopicArn }: StackParts["settings"]): readonly ITopic[] {
    const topics: ITopic[] = [];
    if (alarmEmail !== undefined) {
      const topic = new Topic(this, "Alarms", { enforceSSL: true });
      topic.addSubscription(new EmailSubscription(alarmEmail));
      // A topic's own policy takes the place of the one by which the account's alarms may publish.
      topic.addToResourcePolicy(
        new PolicyStatement({
          sid: "AllowAlarms",
          principals: [new ServicePrincipal("cloudwatch.amazonaws.com")],
          actions: ["sns:Publish"],
          resources: [topic.topicArn],
          conditions: { StringEquals: { "aws:SourceAccount": Aws.ACCOUNT_ID } },
        }),
      );
      topics.push(topic);
    }
    if (alarmTopicArn !== undefined) topics.push(Topic.fromTopicArn(this, "GivenTopic", alarmTopicArn));
    return topics;
  }

  private alarms(stage: string, api: Api): void {
    serviceAlarm(this, "ServerErrors", {
      // The average of a 0-or-1 metric is a rate.
      metric: api.rest.metricServerError({ period: Duration.minutes(5), statistic: "Average" }),
      threshold: 0.01,
      impact:
        "More than 1 % of calls fail with a 5xx. Clients repeat them; the log of the interface's resource names the route that fails.",
      silence: "quiet",
    });
    serviceAlarm(this, "AuthorizerErrors", {
      metric: api.authorizer.function.metricErrors({ period: Duration.minutes(5), statistic: "Sum" }),
      threshold: 5,
      impact: api.authorizer.impact,
      silence: "quiet",
    });
    serviceAlarm(this, "Lag", {
      metric: publishedMetric(stage, "Lag", "Maximum"),
      // As long as a message may wait in a queue, which the queues' own alarms look at.
      threshold: 15 * 60,
      impact:
        "A worker begins a quarter of an hour late: totals and analytics are old, deleted things are still stored, new runs or firings wait. Look for batch_begun with a large Lag in the workers' logs, and for what that worker says after it.",
      // A worker that is not called at all says nothing: the alarms of the queues and of dead letters see that.
      silence: "quiet",
    });
  }

  /** What the stack has of a kind. */
  private made<Kind>(kind: abstract new (...given: never[]) => Kind): Kind[] {
    return Stack.of(this)
      .node.findAll()
      .filter((construct): construct is IConstruct & Kind => construct instanceof kind);
  }
}
