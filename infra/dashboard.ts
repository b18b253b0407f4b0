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

/** Reads the lines as text: whether fields are found in a line by themselves depends on the group's name. */
export const routeQuery: readonly string[] = [
  String.raw`parse @message /"route":"(?<route>[^"]+)","status":(?<class>\d)\d\d,"ms":(?<ms>\d+)/`,
  "filter ispresent(route)",
  "stats count(*) as calls, pct(ms, 50) as p50, pct(ms, 95) as p95 by route, class",
  "sort calls desc",
];

const graph = (title: string, left: readonly IMetric[], more: Partial<GraphWidgetProps> = {}): IWidget =>
  new GraphWidget({ title, left: [...left], width: 8, period, liveData: true, ...more });

/** One page on how the service does. At most 50 metrics: more would cost $3 a month. */
export class ServiceDashboard extends Construct {
  constructor(scope: Construct, id: string, props: ServiceDashboardProps) {
    super(scope, id);
    const { stage, api, workers, streams, queues, deadLetters } = props;
    const own = (name: Parameters<typeof publishedMetric>[1], statistic: "Sum" | "Maximum") =>
      publishedMetric(stage, name, statistic);
    const ingest = [createTrace, createTraces, createSpans, exportTraces].map(({ id: route }) =>
      api.routes.functionOf(route).metricInvocations({ period, label: route }),
    );
    const latency = (statistic: string) => api.rest.metricLatency({ period, statistic, label: statistic });
    new Dashboard(this, "Page", {
      // Names are an account's, of all its Regions.
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
            own("RefusedCallers", "Sum"),
            own("KeySetUnavailable", "Sum"),
            own("FailedItems", "Sum"),
            own("SumsMended", "Sum"),
          ]),
          graph(
            "Failed calls of workers",
            workers.map((worker) => worker.function.metricErrors({ period, label: worker.shortName })),
          ),
          graph(
            "Dead letters",
            deadLetters.map(({ queue, node }) =>
              queue.metricApproximateNumberOfMessagesVisible({
                period,
                statistic: "Maximum",
                label: node.path.split("/").slice(1, -1).join(""),
              }),
            ),
          ),
        ],
        [
          graph("Lag of the worker that is furthest behind (s)", [own("Lag", "Maximum")]),
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
          graph("Judge calls", [own("JudgeCalls", "Sum"), own("ProviderAway", "Sum")]),
          graph("Judge spend (US dollars)", [own("JudgeCost", "Sum")]),
          graph("Monthly ceilings: the fullest (%)", [own("CeilingUsed", "Maximum")], {
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
