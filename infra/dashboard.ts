import { Aws, Duration } from "aws-cdk-lib";
import {
  Dashboard,
  GraphWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
  type GraphWidgetProps,
  type IMetric,
  type IWidget,
} from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import { createSpans } from "../lib/contract/traces/changes.ts";
import { createTraces } from "../lib/contract/traces/batch.ts";
import { createTrace } from "../lib/contract/traces/traces.ts";
import { exportTraces } from "../lib/contract/otlp/export-traces.ts";
import type { Api } from "./api/api.ts";
import type { DeadLetters } from "./functions/dead-letters.ts";
import type { QueueWorker } from "./functions/queue-worker.ts";
import type { StreamWorker } from "./functions/stream-worker.ts";
import type { Worker } from "./functions/worker.ts";
import { pathInStack } from "./path-in-stack.ts";
import { publishedMetric } from "./published-metric.ts";

export interface ServiceDashboardProps {
  readonly stage: string;
  readonly api: Api;
  readonly workers: readonly Worker[];
  readonly streams: readonly StreamWorker[];
  readonly queues: readonly QueueWorker[];
  readonly deadLetters: readonly DeadLetters[];
}

const period = Duration.minutes(5);

/** CloudWatch Logs Insights query: calls and latency by route and status class. Lines are parsed as text, because field discovery depends on the log group's name. */
export const routeQuery: readonly string[] = [
  String.raw`parse @message /"route":"(?<route>[^"]+)","status":(?<class>\d)\d\d,"ms":(?<ms>\d+)/`,
  "filter ispresent(route)",
  "stats count(*) as calls, pct(ms, 50) as p50, pct(ms, 95) as p95 by route, class",
  "sort calls desc",
];

const graph = (title: string, metrics: readonly IMetric[], options: Partial<GraphWidgetProps> = {}): IWidget =>
  new GraphWidget({ title, left: [...metrics], width: 8, period, liveData: true, ...options });

/** The CloudWatch dashboard of a stage. It has at most 50 metrics; a dashboard with more costs $3 a month. */
export class ServiceDashboard extends Construct {
  constructor(scope: Construct, id: string, props: ServiceDashboardProps) {
    super(scope, id);
    const { stage, api, workers, streams, queues, deadLetters } = props;
    const serviceMetric = (name: Parameters<typeof publishedMetric>[1], statistic: "Sum" | "Maximum") =>
      publishedMetric(stage, name, statistic);
    const ingest = [createTrace, createTraces, createSpans, exportTraces].map(({ id: route }) =>
      api.routes.functionOf(route).metricInvocations({ period, label: route }),
    );
    const latency = (statistic: string) => api.rest.metricLatency({ period, statistic, label: statistic });
    new Dashboard(this, "Page", {
      // Dashboard names are unique in an account across all Regions.
      dashboardName: `assay-${stage}-${Aws.REGION}`,
      defaultInterval: Duration.days(1),
      widgets: [
        [
          graph("Calls", [api.rest.metricCount({ period, statistic: "Sum" })]),
          graph("Ingest, by route", ingest, { stacked: true }),
          graph("Latency of all calls (ms)", [latency("p50"), latency("p95")]),
        ],
        [
          graph("Errors", [
            api.rest.metricServerError({ period, statistic: "Sum" }),
            api.rest.metricClientError({ period, statistic: "Sum" }),
            serviceMetric("RefusedCallers", "Sum"),
            serviceMetric("KeySetUnavailable", "Sum"),
            serviceMetric("FailedItems", "Sum"),
            serviceMetric("SumsMended", "Sum"),
          ]),
          graph(
            "Failed calls of workers",
            workers.map((worker) => worker.function.metricErrors({ period, label: worker.shortName })),
          ),
          graph(
            "Dead letters",
            deadLetters.map((letters) =>
              letters.queue.metricApproximateNumberOfMessagesVisible({
                period,
                statistic: "Maximum",
                label: pathInStack(letters).slice(0, -1).join(""),
              }),
            ),
          ),
        ],
        [
          graph("Lag of the worker that is furthest behind (s)", [serviceMetric("Lag", "Maximum")]),
          graph(
            "Lag by stream (ms)",
            streams.map(({ worker }) =>
              worker.function.metric("IteratorAge", { period, statistic: "Maximum", label: worker.shortName }),
            ),
          ),
          graph(
            "Queues: oldest message (s)",
            queues.map(({ queue, worker }) =>
              queue.metricApproximateAgeOfOldestMessage({ period, statistic: "Maximum", label: worker.shortName }),
            ),
            {
              right: queues.map(({ queue, worker }) =>
                queue.metricApproximateNumberOfMessagesVisible({
                  period,
                  statistic: "Maximum",
                  label: `${worker.shortName}: messages`,
                }),
              ),
            },
          ),
        ],
        [
          graph("Judge calls", [serviceMetric("JudgeCalls", "Sum"), serviceMetric("ProviderAway", "Sum")]),
          graph("Judge spend (US dollars)", [serviceMetric("JudgeCost", "Sum")]),
          graph("Monthly ceilings: the fullest (%)", [serviceMetric("CeilingUsed", "Maximum")], {
            leftYAxis: { min: 0, max: 100 },
            leftAnnotations: [{ value: 80 }],
          }),
        ],
        [
          new LogQueryWidget({
            title: "By route and first digit of the status (ms)",
            width: 24,
            height: 10,
            view: LogQueryVisualizationType.TABLE,
            logGroupNames: api.routes.logGroups.map(({ logGroupName }) => logGroupName),
            queryLines: [...routeQuery],
          }),
        ],
      ],
    });
  }
}
