import { Duration } from "aws-cdk-lib";
import { MathExpression, Metric, type IMetric } from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import { tableNames, tables, type TableDefinition } from "../lib/dynamo/table.ts";
import { serviceAlarm } from "./alarm.ts";
import type { Data } from "./data.ts";
import type { Worker } from "./functions/worker.ts";
import { publishedMetric } from "./published-metric.ts";

export interface MoreAlarmsProps {
  readonly stage: string;
  readonly data: Data;
  /** Name of the EventBridge Scheduler group of monitor schedules. */
  readonly scheduleGroup: string;
  /** Workers of streams and queues, which share one alarm on errors. */
  readonly workers: readonly Worker[];
}

const period = Duration.minutes(5);

/** A Lambda metric over all functions of the account and Region; it has no dimension. */
const accountFunctionMetric = (metricName: string, statistic: string): Metric =>
  new Metric({ namespace: "AWS/Lambda", metricName, statistic, period });

/** The sum of sparse metrics, missing data as 0. Each metric is billed, and an alarm can use at most ten. */
const sumOf = (metrics: readonly Metric[], window = period): MathExpression => {
  const usingMetrics: Record<string, IMetric> = Object.fromEntries(metrics.map((metric, at) => [`m${at}`, metric]));
  const filledMetrics = Object.keys(usingMetrics).map((name) => `FILL(${name}, 0)`);
  return new MathExpression({ expression: `SUM([${filledMetrics.join(", ")}])`, usingMetrics, period: window });
};

/** Alarms beyond CloudWatch's free ones; created if the setting `moreAlarms` or `alarms` requests them. */
export class MoreAlarms extends Construct {
  constructor(scope: Construct, id: string, { stage, data, scheduleGroup, workers }: MoreAlarmsProps) {
    super(scope, id);
    this.forAccount();
    this.forWorkers(workers);
    this.forThrottles(data);
    this.forSchedules(scheduleGroup);
    this.forPublished(stage);
  }

  private forAccount(): void {
    serviceAlarm(this, "FunctionThrottles", {
      metric: accountFunctionMetric("Throttles", "Sum"),
      threshold: 10,
      severity: "page",
      impact:
        "Lambda throttles function calls in this account and Region: clients get 5xx, workers fall behind. Look at Lambda's metric Throttles by function.",
      missingData: "notBreaching",
    });
    serviceAlarm(this, "AccountConcurrency", {
      metric: accountFunctionMetric("ClaimedAccountConcurrency", "Maximum"),
      // Default quota of an account: 1,000 concurrent executions.
      threshold: 800,
      severity: "ticket",
      impact:
        "Four fifths of the 1,000 concurrent executions of this account and Region are in use: calls will soon be throttled. Look at Lambda's metric ConcurrentExecutions by function.",
      missingData: "notBreaching",
    });
  }

  private forWorkers(workers: readonly Worker[]): void {
    const window = Duration.minutes(15);
    serviceAlarm(this, "WorkerErrors", {
      metric: sumOf(
        workers.map((worker) => worker.function.metricErrors({ period: window, statistic: "Sum" })),
        window,
      ),
      threshold: 5,
      severity: "ticket",
      impact:
        "Workers fail repeatedly, or do not start, in which case they publish no lag: their work is late, and is dropped within a day. The alarm's graph shows which worker it is; read its log.",
      missingData: "notBreaching",
    });
  }

  private forThrottles(data: Data): void {
    const throttleMetric = (metricName: string, name: (typeof tableNames)[number], index?: string): Metric =>
      new Metric({
        namespace: "AWS/DynamoDB",
        metricName,
        dimensionsMap: {
          TableName: data.table(name).tableName,
          ...(index !== undefined && { GlobalSecondaryIndexName: index }),
        },
        statistic: "Sum",
        period,
      });
    const indexes = tableNames.flatMap((name) => {
      const { indexes = {} }: TableDefinition = tables[name];
      return Object.keys(indexes).map((index) => [name, index] as const);
    });
    for (const [kind, verb] of [
      ["Read", "Reads"],
      ["Write", "Writes"],
    ] as const) {
      // Metrics of a table do not include its indexes.
      const metricName = `${kind}ThrottleEvents`;
      const alarm = (id: string, noun: string, metrics: readonly Metric[]) =>
        serviceAlarm(this, id, {
          metric: sumOf(metrics),
          threshold: 10,
          severity: "ticket",
          impact: `${verb} of ${noun} are throttled: requests are slow or get 503, workers retry. The alarm's graph shows which table or index it is; look at DynamoDB's throttle metrics by cause.`,
          missingData: "notBreaching",
        });
      alarm(
        `Table${kind}Throttles`,
        "tables",
        tableNames.map((name) => throttleMetric(metricName, name)),
      );
      alarm(
        `Index${kind}Throttles`,
        "indexes",
        indexes.map(([name, index]) => throttleMetric(metricName, name, index)),
      );
    }
  }

  private forSchedules(scheduleGroup: string): void {
    const failureMetric = (metricName: string): Metric =>
      new Metric({
        namespace: "AWS/Scheduler",
        metricName,
        dimensionsMap: { ScheduleGroup: scheduleGroup },
        statistic: "Sum",
        period,
      });
    serviceAlarm(this, "SchedulerErrors", {
      metric: sumOf([failureMetric("TargetErrorCount"), failureMetric("InvocationDroppedCount")]),
      threshold: 1,
      severity: "ticket",
      impact:
        "EventBridge Scheduler could not deliver a monitor firing; the sweeper sends it again within minutes. Look at the role of the schedules and the queue of firings.",
      missingData: "notBreaching",
    });
  }

  private forPublished(stage: string): void {
    serviceAlarm(this, "RefusedCallers", {
      metric: publishedMetric(stage, "RefusedCallers", "Sum", period),
      threshold: 300,
      severity: "ticket",
      impact:
        "One request per second or more gets 401: a client uses a revoked or expired key, or keys are being guessed. Read the authorizer's log.",
      missingData: "notBreaching",
    });
    serviceAlarm(this, "IssuerAway", {
      metric: publishedMetric(stage, "KeySetUnavailable", "Sum", Duration.minutes(15)),
      threshold: 3,
      severity: "page",
      impact:
        "The key set of a token issuer cannot be read: tokens signed with cached keys are accepted for a day after the last successful read, others get 503. Read key_set_unavailable in the authorizer's log, and check the issuer's status page.",
      missingData: "notBreaching",
    });
    serviceAlarm(this, "ProviderAway", {
      metric: publishedMetric(stage, "ProviderAway", "Sum", Duration.minutes(15)),
      threshold: 3,
      severity: "ticket",
      impact:
        "A provider of judge models does not answer: its runs wait, and after a day their open scores become FAILED. Read judge_asked in the judge's log for the model, and check the provider's status page.",
      missingData: "notBreaching",
    });
    serviceAlarm(this, "CeilingUsed", {
      // A day: at the ceiling judging pauses, and the metric has no data.
      metric: publishedMetric(stage, "CeilingUsed", "Maximum", Duration.days(1)),
      threshold: 80,
      severity: "ticket",
      impact:
        "Four fifths of a monthly judging ceiling, of the deployment or of a project, are used: at the ceiling runs wait for the next month. Read ceiling_looked_at in the judge's log.",
      missingData: "notBreaching",
    });
    serviceAlarm(this, "FailedItems", {
      metric: publishedMetric(stage, "FailedItems", "Sum", Duration.minutes(15)),
      threshold: 3,
      severity: "ticket",
      impact:
        "Single items of batches fail although the batch succeeds: traces of a batch get 503, a run slice is retried, an invitation is not announced. Read batch_item_failed, work_item_failed and invitations_not_announced in the logs.",
      missingData: "notBreaching",
    });
    serviceAlarm(this, "SumsMended", {
      // A day: sums are checked once a day.
      metric: publishedMetric(stage, "SumsMended", "Sum", Duration.days(1)),
      threshold: 1,
      severity: "ticket",
      impact:
        "The daily sample found wrong totals or analytics and repaired them. Read sum_mended in the sweeper's log for the project, and find out why the stream's worker missed records.",
      missingData: "notBreaching",
    });
  }
}
