import type { TableDefinition, TableName } from "../../lib/dynamo/table.ts";
import { tableNames, tables } from "../../lib/dynamo/table.ts";
import { passUnless } from "../../infra/verify/check.ts";
import { waitUntil } from "../../infra/prove/judge-traces.ts";
import type { Step } from "../../infra/prove/service-steps.ts";

/** What a bill is made of. Units are DynamoDB's of tables and indexes; GB-seconds those of all functions. */
export interface Drivers {
  readonly requests: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly gbSeconds: number;
}

/**
 * Drivers of a trace that is sent among a hundred in an OTLP export, with its stream workers. Units as the emulator counts them, which
 * a test compares; GB-seconds as the bill of `infra/reference.md` assumes them.
 */
export const driversPerTrace: Drivers = { requests: 0.01, readUnits: 0.6, writeUnits: 2.17, gbSeconds: 0.003 };

/** How far drivers may be from the forecast: units of judging and of polling, and starts of functions, are not in it. */
const tolerance = 2;

/** A CloudWatch metric, and the factor from its sum to the driver. */
export interface DriverMetric {
  readonly driver: keyof Drivers;
  readonly factor: number;
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

/** Returns the metrics that the drivers of a stage are summed from. @param functions megabytes of each function by its physical name */
export const driverMetrics = (
  stage: string,
  tableOf: (table: TableName) => string,
  functions: ReadonlyMap<string, number>,
): readonly DriverMetric[] => {
  const unitMetrics = (["read", "write"] as const).flatMap((kind) =>
    tableNames.flatMap((table) => {
      const definition: TableDefinition = tables[table];
      const indexes = Object.keys(definition.indexes ?? {}).map((index) => ({ GlobalSecondaryIndexName: index }));
      return [{}, ...indexes].map((index) => ({
        driver: `${kind}Units` as const,
        factor: 1,
        namespace: "AWS/DynamoDB",
        name: kind === "read" ? "ConsumedReadCapacityUnits" : "ConsumedWriteCapacityUnits",
        dimensions: { TableName: tableOf(table), ...index },
      }));
    }),
  );
  const durations = Array.from(functions, ([FunctionName, megabytes]) => ({
    driver: "gbSeconds" as const,
    factor: megabytes / 1024 / 1000,
    namespace: "AWS/Lambda",
    name: "Duration",
    dimensions: { FunctionName },
  }));
  const requests = { ApiName: `assay-${stage}`, Stage: stage };
  return [
    { driver: "requests", factor: 1, namespace: "AWS/ApiGateway", name: "Count", dimensions: requests },
    ...unitMetrics,
    ...durations,
  ];
};

/** Seconds of a metric's period: whole hours, so that one value or two cover a proof. */
const period = 3600;

/** Returns the parameters of CloudWatch's `GetMetricData` for sums of metrics, at most 500, since an instant. */
const metricQuery = (metrics: readonly DriverMetric[], since: Date, until: Date): Readonly<Record<string, string>> =>
  Object.fromEntries([
    ["Action", "GetMetricData"],
    ["Version", "2010-08-01"],
    ["StartTime", since.toISOString()],
    ["EndTime", until.toISOString()],
    ...metrics.flatMap(({ namespace, name, dimensions }, at) => {
      const query = `MetricDataQueries.member.${at + 1}`;
      return [
        [`${query}.Id`, `m${at}`],
        [`${query}.MetricStat.Metric.Namespace`, namespace],
        [`${query}.MetricStat.Metric.MetricName`, name],
        ...Object.entries(dimensions).flatMap(([key, value], place) => [
          [`${query}.MetricStat.Metric.Dimensions.member.${place + 1}.Name`, key],
          [`${query}.MetricStat.Metric.Dimensions.member.${place + 1}.Value`, value],
        ]),
        [`${query}.MetricStat.Period`, String(period)],
        [`${query}.MetricStat.Stat`, "Sum"],
      ];
    }),
  ]);

/** Sums the drivers in a reply of `GetMetricData`. */
const driversIn = (reply: string, metrics: readonly DriverMetric[]): Drivers => {
  const sums = { requests: 0, readUnits: 0, writeUnits: 0, gbSeconds: 0 };
  for (const [, id, values = ""] of reply.matchAll(/<Id>m(\d+)<\/Id>[^]*?<Values>([^]*?)<\/Values>/gu)) {
    const metric = metrics[Number(id)];
    if (metric === undefined) continue;
    for (const [, value] of values.matchAll(/<member>([^<]+)<\/member>/gu))
      sums[metric.driver] += Number(value) * metric.factor;
  }
  return sums;
};

/** Milliseconds until CloudWatch has the metrics of the last requests. */
const metricsTimeout = 900_000;

/** Creates the step that compares what the stage used with the forecast. @param ask sends a query to CloudWatch and returns its reply @param ownCalls requests of the proof besides the exports, so far */
export const driversStep = (
  ask: (parameters: Readonly<Record<string, string>>) => Promise<string>,
  metrics: () => Promise<readonly DriverMetric[]>,
  traceCount: number,
  since: Date,
  ownCalls: () => number,
): Step => ({
  title: "The bill's drivers are those of the forecast",
  run: async () => {
    const all = await metrics();
    // The proof polls: its own calls are as many as the exports, so they are counted and belong to the forecast.
    const forecasts = { ...driversPerTrace, requests: driversPerTrace.requests + ownCalls() / traceCount };
    const expectedRequests = traceCount * forecasts.requests;
    const read = async () => driversIn(await ask(metricQuery(all, since, new Date())), all);
    const used = await waitUntil(
      "CloudWatch's count of requests",
      metricsTimeout,
      read,
      ({ requests }) => requests >= expectedRequests,
    );
    const rows = (["requests", "readUnits", "writeUnits", "gbSeconds"] as const).map((driver) => {
      const forecast = traceCount * forecasts[driver];
      return {
        driver,
        forecast,
        ratio: used[driver] / forecast,
        text: `${driver} ${used[driver].toFixed(0)} (forecast ${forecast.toFixed(0)})`,
      };
    });
    return passUnless(
      rows
        .filter(({ ratio }) => ratio > tolerance || ratio < 1 / tolerance)
        .map(({ driver, ratio }) => `${driver} are ${ratio.toFixed(2)} times the forecast`),
      rows.map(({ text }) => text).join("; "),
    );
  },
});
