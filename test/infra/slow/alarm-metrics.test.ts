import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  publishedMetrics,
  publishMetrics,
  stageVariable,
  type PublishedMetric,
} from "../../../lib/published-metrics.ts";
import { withStreamLag } from "../../../lib/stream/stream-lag.ts";
import { directiveOf, publishedLines, type PublishedLine } from "../../support/published-lines.ts";
import { synthesize } from "../synthesize.ts";

interface Watched {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: unknown }[];
}

interface Alarm extends Partial<Watched> {
  readonly Statistic?: string;
  readonly Threshold: number;
  readonly ComparisonOperator: string;
  readonly Metrics?: readonly {
    readonly Expression?: string;
    readonly MetricStat?: { readonly Metric: Watched; readonly Stat: string };
  }[];
}

let alarms: readonly (readonly [name: string, alarm: Alarm])[];
let stageBefore: string | undefined;
beforeAll(() => {
  const { template } = synthesize({ stage: "blue", moreAlarms: true });
  alarms = Object.entries(template.findResources("AWS::CloudWatch::Alarm")).map(
    ([id, { Properties }]) => [id.replace(/[0-9A-F]{8}$/u, ""), Properties as Alarm] as const,
  );
  stageBefore = process.env[stageVariable];
  process.env[stageVariable] = "blue";
});
afterAll(() => {
  if (stageBefore === undefined) delete process.env[stageVariable];
  else process.env[stageVariable] = stageBefore;
});

const alarmOn = (metric: string): Alarm => {
  const [matchingAlarm, ...furtherAlarms] = alarms.filter(
    ([, { Namespace, MetricName }]) => Namespace === "Assay" && MetricName === metric,
  );
  expect(furtherAlarms).toEqual([]);
  if (matchingAlarm === undefined) throw new Error(`No alarm looks at ${metric}.`);
  return matchingAlarm[1];
};

/** Data points of an alarm in the published lines: those with its namespace, its metric and exactly its dimensions. */
const pointsFor = ({ Namespace, MetricName = "", Dimensions = [] }: Alarm, lines: readonly PublishedLine[]): number[] =>
  lines.flatMap((line) =>
    directiveOf(line)
      .CloudWatchMetrics.filter(
        (directive) =>
          directive.Namespace === Namespace &&
          directive.Metrics.some(({ Name }) => Name === MetricName) &&
          directive.Dimensions.some(
            (names) =>
              names.length === Dimensions.length &&
              Dimensions.every(({ Name, Value }) => names.includes(Name) && line[Name] === Value),
          ),
      )
      .map(() => Number(line[MetricName])),
  );

const statistics: Readonly<Record<string, (points: readonly number[]) => number>> = {
  Sum: (points) => points.reduce((sum, point) => sum + point, 0),
  Maximum: (points) => Math.max(...points),
};

/** True if an alarm is raised by lines published within one of its periods. */
const isRaised = (alarm: Alarm, lines: readonly PublishedLine[]): boolean => {
  const points = pointsFor(alarm, lines);
  expect(alarm.ComparisonOperator).toBe("GreaterThanOrEqualToThreshold");
  const statistic = statistics[alarm.Statistic ?? ""];
  if (statistic === undefined) throw new Error(`${alarm.Statistic} is not a statistic of these alarms.`);
  return points.length > 0 && statistic(points) >= alarm.Threshold;
};

const lag = async (seconds: number): Promise<readonly PublishedLine[]> => {
  const now = Date.now();
  const worker = withStreamLag(
    "fold",
    async () => undefined,
    () => now,
  );
  const record = { dynamodb: { ApproximateCreationDateTime: now / 1000 - seconds } };
  return (await publishedLines(() => worker({ Records: [record] }))).lines;
};

const published = async (metric: PublishedMetric, ...values: readonly number[]): Promise<readonly PublishedLine[]> =>
  (await publishedLines(async () => values.forEach((value) => publishMetrics("told", { [metric]: value })))).lines;

describe("an alarm on the service's own metrics", () => {
  test("exists for each service metric that is not only informative", () => {
    const { JudgeCalls: _calls, JudgeCost: _cost, ...signals } = publishedMetrics;

    for (const metric of Object.keys(signals))
      expect(alarmOn(metric).Dimensions).toEqual([{ Name: "Stage", Value: "blue" }]);
  });

  test("is raised when one of many workers is 15 minutes late", async () => {
    const inTime = [...(await lag(1)), ...(await lag(14 * 60)), ...(await lag(0))];

    expect(isRaised(alarmOn("Lag"), inTime)).toBe(false);
    expect(isRaised(alarmOn("Lag"), [...inTime, ...(await lag(16 * 60))])).toBe(true);
  });

  test("is not affected by another deployment in the account, or by another metric", async () => {
    process.env[stageVariable] = "green";
    const foreign = await lag(3600);
    process.env[stageVariable] = "blue";

    expect(isRaised(alarmOn("Lag"), foreign)).toBe(false);
    expect(isRaised(alarmOn("Lag"), await published("CeilingUsed", 3600))).toBe(false);
  });

  test.each<[PublishedMetric, readonly number[], readonly number[]]>([
    ["RefusedCallers", Array.from({ length: 299 }, () => 1), [1]],
    ["KeySetUnavailable", [1, 1], [1]],
    ["FailedItems", [1, 1], [1]],
    ["ProviderAway", [1, 1], [1]],
    ["CeilingUsed", [10, 79.9, 20], [80]],
    ["SumsMended", [], [1]],
  ])("on %s is raised at its threshold and not before", async (metric, few, more) => {
    const before = await published(metric, ...few);

    expect(isRaised(alarmOn(metric), before)).toBe(false);
    expect(isRaised(alarmOn(metric), [...before, ...(await published(metric, ...more))])).toBe(true);
  });
});

/** AWS metrics by AWS's documentation: the dimensions of each, and its meaningful statistic. */
const documented: Readonly<Record<string, readonly [dimensions: string, statistic: string]>> = {
  "AWS/ApiGateway 5XXError": ["ApiName", "Sum"],
  "AWS/ApiGateway Count": ["ApiName", "SampleCount"],
  "AWS/DynamoDB ReadThrottleEvents": ["TableName", "Sum"],
  "AWS/DynamoDB WriteThrottleEvents": ["TableName", "Sum"],
  "AWS/DynamoDB ReadThrottleEvents of an index": ["GlobalSecondaryIndexName TableName", "Sum"],
  "AWS/DynamoDB WriteThrottleEvents of an index": ["GlobalSecondaryIndexName TableName", "Sum"],
  "AWS/Lambda ClaimedAccountConcurrency": ["", "Maximum"],
  "AWS/Lambda Errors": ["FunctionName", "Sum"],
  "AWS/Lambda Invocations": ["FunctionName", "Sum"],
  "AWS/Lambda Throttles": ["", "Sum"],
  "AWS/SQS ApproximateAgeOfOldestMessage": ["QueueName", "Maximum"],
  "AWS/SQS ApproximateNumberOfMessagesVisible": ["QueueName", "Maximum"],
  "AWS/Scheduler InvocationDroppedCount": ["ScheduleGroup", "Sum"],
  "AWS/Scheduler TargetErrorCount": ["ScheduleGroup", "Sum"],
};

/** Metrics that an alarm watches, directly or in an expression. */
const watchedBy = (alarm: Alarm): readonly (readonly [Watched, string])[] =>
  alarm.Metrics === undefined
    ? [[alarm as Watched, alarm.Statistic ?? ""]]
    : alarm.Metrics.flatMap(({ MetricStat }) =>
        MetricStat === undefined ? [] : [[MetricStat.Metric, MetricStat.Stat]],
      );

describe("an alarm on AWS metrics", () => {
  test("watches an existing metric, with its dimensions and a meaningful statistic", () => {
    const statisticsByMetric = new Map<string, readonly [string, string]>();
    for (const [{ Namespace, MetricName, Dimensions = [] }, statistic] of alarms.flatMap(([, alarm]) =>
      watchedBy(alarm),
    )) {
      if (Namespace === "Assay") continue;
      const names = Dimensions.map(({ Name }) => Name).toSorted();
      const kind = names.includes("GlobalSecondaryIndexName") ? " of an index" : "";
      statisticsByMetric.set(`${Namespace} ${MetricName}${kind}`, [names.join(" "), statistic]);
    }

    expect(Object.fromEntries(statisticsByMetric)).toEqual(documented);
  });

  test("sums no more metrics than an alarm allows, each with a default for missing data", () => {
    const sums = alarms.filter(([, { Metrics = [] }]) =>
      Metrics.some(({ Expression }) => Expression?.startsWith("SUM(") === true),
    );

    expect(sums.map(([name]) => name)).toHaveLength(6);
    for (const [, { Metrics = [] }] of sums) {
      const single = Metrics.filter(({ MetricStat }) => MetricStat !== undefined);
      const [expression] = Metrics.flatMap(({ Expression }) => Expression ?? []);
      expect(single.length).toBeLessThanOrEqual(10);
      expect(expression?.match(/FILL\(m\d, 0\)/gu)).toHaveLength(single.length);
    }
  });

  test("watches every table and every index", () => {
    const throttles = alarms.filter(
      ([name]) => name.endsWith("Throttles") && name !== "OperationsMoreFunctionThrottles",
    );
    const counts = throttles.map(([name, alarm]) => [name.replace("OperationsMore", ""), watchedBy(alarm).length]);

    expect(Object.fromEntries(counts)).toEqual({
      TableReadThrottles: 9,
      TableWriteThrottles: 9,
      IndexReadThrottles: 9,
      IndexWriteThrottles: 9,
    });
  });
});
