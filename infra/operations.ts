import { Annotations, Aws, Duration, Stack } from "aws-cdk-lib";
import { Alarm, MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { type ITopic, Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct, type IConstruct } from "constructs";
import { nameAdvice } from "../lib/domain/nearest-name.ts";
import { serviceAlarm } from "./alarm.ts";
import type { Api } from "./api/api.ts";
import { ServiceDashboard } from "./dashboard.ts";
import { DeadLetters } from "./functions/dead-letters.ts";
import { QueueWorker } from "./functions/queue-worker.ts";
import type { StackParts } from "./functions/service-function.ts";
import { StreamWorker } from "./functions/stream-worker.ts";
import { hasCeiling } from "./functions/judge-access.ts";
import { Worker } from "./functions/worker.ts";
import type { Monitors } from "./monitors.ts";
import { pathInStack } from "./path-in-stack.ts";
import { MoreAlarms } from "./more-alarms.ts";
import { publishedMetric } from "./published-metric.ts";
import { saveIdQuery } from "./saved-query.ts";

/** Name of an alarm in the setting `alarms` and in `infra/runbook.md`: its deployed name between the stack's name and the hash. */
const alarmName = (alarm: Alarm): string => pathInStack(alarm).join("");

/** Alarms on the service as a whole, notification topics of all alarms, the dashboard and a saved query. Must be created last: it collects workers, queues, alarms and log groups of the whole stack. */
export class Operations extends Construct {
  readonly alarms: readonly Alarm[];
  /** Topics that the alarms notify: of the setting `alarmEmail`, and `alarmTopicArn`. */
  readonly alarmTopics: readonly ITopic[];

  constructor(scope: Construct, id: string, { settings, data }: StackParts, api: Api, monitors: Monitors) {
    super(scope, id);
    const { stage } = settings;
    // With a list of alarms all exist at first, so that each of its names can be compared with all of theirs.
    const moreAlarms = settings.moreAlarms || settings.alarms !== undefined;
    this.addAlarms(stage, api);
    const [streams, queues] = [this.constructsOf(StreamWorker), this.constructsOf(QueueWorker)];
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
      workers: this.constructsOf(Worker),
      streams,
      queues,
      deadLetters: this.constructsOf(DeadLetters),
    });
    saveIdQuery(this, "LinesOfAnId", stage);
    if (settings.alarms !== undefined) this.keepOnlyAlarms(settings.alarms);
    const topics = this.topics(settings);
    if (topics.length === 0)
      Annotations.of(this).addWarningV2(
        "assay:silent-alarms",
        "Alarms notify nobody: set alarmEmail or alarmTopicArn.",
      );
    if (settings.stage !== "local" && !hasCeiling(settings))
      Annotations.of(this).addWarningV2(
        "assay:no-ceiling",
        "Judging has no monthly ceiling, so that runs, monitors and previews may spend without limit: set monthlyCostCeilingUsd, organizationMonthlyCostCeilingUsd or projectMonthlyCostCeilingUsd.",
      );
    this.alarms = this.constructsOf(Alarm);
    this.alarmTopics = topics;
    for (const action of topics.map((topic) => new SnsAction(topic)))
      for (const alarm of this.alarms) {
        alarm.addAlarmAction(action);
        alarm.addOkAction(action);
      }
  }

  /** Removes all alarms but those named. @throws Error with each name that is no alarm. */
  private keepOnlyAlarms(alarmNames: readonly string[]): void {
    const alarms = new Map(this.constructsOf(Alarm).map((alarm) => [alarmName(alarm), alarm]));
    const faults = alarmNames
      .filter((name) => !alarms.has(name))
      .map(
        (name) =>
          `The setting alarms names ${JSON.stringify(name)}, which is no alarm${nameAdvice(name, [...alarms.keys()])}`,
      );
    if (faults.length > 0) throw new Error(faults.join("\n"));
    for (const [name, { node }] of alarms) if (!alarmNames.includes(name)) node.scope?.node.tryRemoveChild(node.id);
  }

  /** Returns the topics that alarms notify: one that the stack creates for `alarmEmail`, and the existing one of `alarmTopicArn`. */
  private topics({ alarmEmail, alarmTopicArn }: StackParts["settings"]): readonly ITopic[] {
    const topics: ITopic[] = [];
    if (alarmEmail !== undefined) {
      const topic = new Topic(this, "Alarms", { enforceSSL: true });
      topic.addSubscription(new EmailSubscription(alarmEmail));
      // A topic policy replaces the default policy, which lets alarms of the account publish.
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

  private addAlarms(stage: string, api: Api): void {
    serviceAlarm(this, "ServerErrors", {
      metric: new MathExpression({
        // At least 500 calls count, so that five failures raise the alarm also where there are few calls, and a single one does not.
        expression: "errors / IF(calls < 500, 500, calls)",
        usingMetrics: {
          errors: api.rest.metricServerError({ statistic: "Sum" }),
          calls: api.rest.metricCount({ statistic: "SampleCount" }),
        },
        period: Duration.minutes(5),
      }),
      threshold: 0.01,
      severity: "page",
      impact:
        "At least 1 % of requests, and at least five within five minutes, fail with a 5xx. Clients retry them; the log of the API resource names the failing route.",
      missingData: "notBreaching",
    });
    serviceAlarm(this, "AuthorizerErrors", {
      metric: api.authorizer.function.metricErrors({ period: Duration.minutes(5), statistic: "Sum" }),
      threshold: 5,
      severity: "page",
      impact: api.authorizer.impact,
      missingData: "notBreaching",
    });
    serviceAlarm(this, "Lag", {
      metric: publishedMetric(stage, "Lag", "Maximum"),
      // Seconds; the same threshold as the alarms of the queues.
      threshold: 15 * 60,
      severity: "ticket",
      impact:
        "A worker is a quarter of an hour behind: totals and analytics are old, deleted data is still stored, new runs or firings wait. Find batch_begun with a large Lag in the workers' logs, and read that worker's next lines; mapping_switched_off in the sweeper's log names a worker that is not called at all.",
      // A worker without invocations publishes no lag: the sweeper publishes that of a stream worker whose mapping is off,
      // the alarms of queues cover theirs.
      missingData: "notBreaching",
    });
  }

  /** Returns all constructs of a class in the stack. */
  private constructsOf<Kind>(kind: abstract new (...args: never[]) => Kind): Kind[] {
    return Stack.of(this)
      .node.findAll()
      .filter((construct): construct is IConstruct & Kind => construct instanceof kind);
  }
}
