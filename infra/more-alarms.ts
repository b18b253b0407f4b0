import { Duration } from "aws-cdk-lib";
import { MathExpression, Metric, type IMetric } from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import { tableNames, tables, type TableDefinition } from "../lib/store/table.ts";
import { serviceAlarm } from "./alarm.ts";
import type { Data } from "./data.ts";
import type { Worker } from "./functions/worker.ts";
import { publishedMetric } from "./published-metric.ts";

export interface MoreAlarmsProps {
  readonly stage: string;
  readonly data: Data;
  /** Name of the group of the monitors' schedules. */
  readonly scheduleGroup: string;
  /** Workers of streams and queues: one by another, not each by its own alarm. */
  readonly workers: readonly Worker[];
}

const period = Duration.minutes(5);

/** A metric of the account in this Region: Lambda publishes it without a dimension. */
const ofAllFunctions = (metricName: string, statistic: string): Metric =>
  new Metric({ namespace: "AWS/Lambda", metricName, statistic, period });

/** The sum of metrics that are silent while there is nothing to count. Each of them is paid for; an alarm takes ten. */
const sumOf = (metrics: readonly Metric[], window = period): MathExpression => {
  const usingMetrics: Record<string, IMetric> = Object.fromEntries(metrics.map((metric, at) => [`m${at}`, metric]));
  const filled = Object.keys(usingMetrics).map((name) => `FILL(${name}, 0)`);
  return new MathExpression({ expression: `SUM([${filled.join(", ")}])`, usingMetrics, period: window });
};

/** Alarms that cost money: made when an operator asks for them. */
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
      metric: ofAllFunctions("Throttles", "Sum"),
      threshold: 10,
      impact:
        "Lambda turned calls of functions away in this account and Region: clients get 5xx, workers fall behind. Look at Lambda's metric Throttles by function.",
      silence: "quiet",
    });
    serviceAlarm(this, "AccountConcurrency", {
      metric: ofAllFunctions("ClaimedAccountConcurrency", "Maximum"),
      // Of 1,000, an account's quota unless AWS was asked for another.
      threshold: 800,
      impact:
        "Four fifths of the 1,000 functions that may run at a time in this account and Region are taken: soon calls are turned away. Look at Lambda's metric ConcurrentExecutions by function.",
      silence: "quiet",
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
      impact:
        "Workers fail again and again, or do not even start, in which case they publish no lag: what they do is late, and within a day given up. Look at the alarm's graph, which tells which one, and read its log.",
      silence: "quiet",
    });
  }

  private forThrottles(data: Data): void {
    const throttled = (metricName: string, name: (typeof tableNames)[number], index?: string): Metric =>
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
    for (const [kind, does] of [
      ["Read", "Reads"],
      ["Write", "Writes"],
    ] as const) {
      // What the metrics of a table count does not include its indexes.
      const metricName = `${kind}ThrottleEvents`;
      const alarm = (id: string, what: string, metrics: readonly Metric[]) =>
        serviceAlarm(this, id, {
          metric: sumOf(metrics),
          threshold: 10,
          impact: `${does} of ${what} are throttled: calls are slow or get 503, workers repeat theirs. Look at the alarm's graph, which tells which one, and at DynamoDB's metrics by cause.`,
          silence: "quiet",
        });
      alarm(
        `Table${kind}Throttles`,
        "tables",
        tableNames.map((name) => throttled(metricName, name)),
      );
      alarm(
        `Index${kind}Throttles`,
        "indexes",
        indexes.map(([name, index]) => throttled(metricName, name, index)),
      );
    }
  }

  private forSchedules(scheduleGroup: string): void {
    const failed = (metricName: string): Metric =>
      new Metric({
        namespace: "AWS/Scheduler",
        metricName,
        dimensionsMap: { ScheduleGroup: scheduleGroup },
        statistic: "Sum",
        period,
      });
    serviceAlarm(this, "SchedulerErrors", {
      metric: sumOf([failed("TargetErrorCount"), failed("InvocationDroppedCount")]),
      threshold: 1,
      impact:
        "The Scheduler could not hand over the firing of a monitor; the sweeper fires it again within minutes. Look at the role of the schedules and at the queue of firings.",
      silence: "quiet",
    });
  }

  private forPublished(stage: string): void {
    serviceAlarm(this, "RefusedCallers", {
      metric: publishedMetric(stage, "RefusedCallers", "Sum", period),
      threshold: 300,
      impact:
        "One call a second or more is a 401: a client has a key that was revoked or has expired, or somebody is guessing. Read the authorizer's log.",
      silence: "quiet",
    });
    serviceAlarm(this, "IssuerAway", {
      metric: publishedMetric(stage, "KeySetUnavailable", "Sum", Duration.minutes(15)),
      threshold: 3,
      impact:
        "The issuer of bearer tokens does not give its keys: tokens signed by known keys are good for a day after the last answer, others are answered 503. Read key_set_unavailable in the authorizer's log, and the issuer's status page.",
      silence: "quiet",
    });
    serviceAlarm(this, "ProviderAway", {
      metric: publishedMetric(stage, "ProviderAway", "Sum", Duration.minutes(15)),
      threshold: 3,
      impact:
        "A provider of judge models answers nothing: its runs wait, and after a day their open scores are FAILED. Read judge_asked in the judge's log for the model, and the provider's status page.",
      silence: "quiet",
    });
    serviceAlarm(this, "CeilingUsed", {
      // A day: judging pauses at the ceiling and says nothing then.
      metric: publishedMetric(stage, "CeilingUsed", "Maximum", Duration.days(1)),
      threshold: 80,
      impact:
        "Four fifths of a monthly ceiling for judging are used, of the deployment or of a project: at the ceiling runs wait for the next month. Read ceiling_looked_at in the judge's log.",
      silence: "quiet",
    });
    serviceAlarm(this, "FailedItems", {
      metric: publishedMetric(stage, "FailedItems", "Sum", Duration.minutes(15)),
      threshold: 3,
      impact:
        "Single items of batches fail while the batch does not: traces of a batch get 503, a slice of a run comes back, an invitation is not announced. Read batch_item_failed, work_item_failed and invitations_not_announced in the logs.",
      silence: "quiet",
    });
    serviceAlarm(this, "SumsMended", {
      // A day: sums are looked at once a day.
      metric: publishedMetric(stage, "SumsMended", "Sum", Duration.days(1)),
      threshold: 1,
      impact:
        "Totals or analytics were wrong and were mended, where a sample looked. Read sum_mended in the sweeper's log for the project, and why its stream's worker had missed something.",
      silence: "quiet",
    });
  }
}
