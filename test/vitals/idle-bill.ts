import type { Template } from "../../infra/local/template/template.ts";
import { publishedMetrics } from "../../lib/published-metrics.ts";
import { dashboardMetrics } from "./dashboard-metrics.ts";

/** Monthly cost of one resource of an unused stack, US dollars, us-east-1, November 2026. */
export interface IdleItem {
  readonly item: string;
  /**
   * Cost within AWS's permanent monthly free tier: 10 metrics of alarms, 10 metrics and 3 dashboards of 50 metrics, 10^6 SQS
   * requests, 10^6 calls and 400,000 GB-s of Lambda, 14 * 10^6 of Scheduler, 5 GB of logs.
   */
  readonly dollars: number;
  /** Cost when other workloads of the account have used up the free tier. */
  readonly alone: number;
}

/** Measured capacity units of one sweep without work; the sweeper runs every minute. */
export interface IdleSweep {
  readonly read: number;
  readonly write: number;
}

const minutes = 60 * 24 * 365.25;
/** Sweeps per month. */
const sweeps = minutes / 12;
/** Requests a month of one idle poller; each long poll lasts 20 s. */
const pollsOfPoller = 3 * sweeps;
/** Pollers of an idle queue: five, which Lambda lowers to two unless the mapping has a maximum concurrency. */
const pollersOf = ({ ScalingConfig }: Readonly<Record<string, unknown>>): number =>
  ScalingConfig instanceof Object && "MaximumConcurrency" in ScalingConfig ? 5 : 2;
/** Assumed seconds of a sweep on Lambda, and logged bytes including Lambda's lines. */
const [sweepSeconds, sweepLog] = [0.3, 700];

/** Memory of the sweeper in gigabytes. */
const sweepGigabytes = 1769 / 1024;

/** Resource types billed only for stored or processed data. */
const freeWhileIdle: ReadonlySet<string> = new Set([
  "AWS::ApiGateway::ApiKey",
  "AWS::ApiGateway::Deployment",
  "AWS::ApiGateway::RestApi",
  "AWS::ApiGateway::Stage",
  "AWS::ApiGateway::UsagePlan",
  "AWS::ApiGateway::UsagePlanKey",
  "AWS::DynamoDB::Table",
  "AWS::Events::ApiDestination",
  "AWS::Events::Connection",
  "AWS::Events::Rule",
  "AWS::IAM::Role",
  "AWS::Lambda::EventInvokeConfig",
  "AWS::Lambda::LayerVersion",
  "AWS::Logs::LogGroup",
  "AWS::Logs::QueryDefinition",
  "AWS::S3::Bucket",
  "AWS::S3::BucketPolicy",
  "AWS::SNS::Subscription",
  "AWS::SNS::Topic",
  "AWS::SNS::TopicPolicy",
  "AWS::SQS::Queue",
  "AWS::SQS::QueuePolicy",
  "AWS::SSM::Parameter",
  "AWS::Scheduler::ScheduleGroup",
]);

/** Resource types billed below; functions by their calls. */
const billedTypes: ReadonlySet<string> = new Set([
  "AWS::CloudWatch::Alarm",
  "AWS::CloudWatch::Dashboard",
  "AWS::Lambda::EventSourceMapping",
  "AWS::Lambda::Function",
  "AWS::Scheduler::Schedule",
]);

/** Number of metrics that an alarm watches; each metric of an expression is billed. */
const watchedMetrics = ({ Metrics }: Readonly<Record<string, unknown>>): number =>
  Array.isArray(Metrics) ? Metrics.filter((metric: object) => "MetricStat" in metric).length : 1;

/** Maximum number of metrics of a free dashboard. */
const maxDashboardMetrics = 50;

const million = 1_000_000;
const beyond = (amount: number, free: number): number => Math.max(0, amount - free);

/**
 * Monthly bill of an unused service by resource.
 * @throws Error for a resource type without a known price, or with settings that raise its price.
 */
export const idleBill = (template: Template, sweep: IdleSweep): readonly IdleItem[] => {
  const resources = Object.values(template.Resources);
  const propertiesOf = (type: string) =>
    resources.filter(({ Type }) => Type === type).map(({ Properties = {} }) => Properties);
  const unknown = resources.filter(({ Type }) => !freeWhileIdle.has(Type) && !billedTypes.has(Type));
  if (unknown.length > 0) throw new Error(`It is not known what ${unknown.map(({ Type }) => Type).join(", ")} costs.`);
  const tables = propertiesOf("AWS::DynamoDB::Table");
  if (tables.some(({ BillingMode }) => BillingMode !== "PAY_PER_REQUEST"))
    throw new Error("A table has capacity of its own.");
  const schedules = propertiesOf("AWS::Scheduler::Schedule");
  if (schedules.some(({ ScheduleExpression }) => ScheduleExpression !== "rate(1 minute)"))
    throw new Error("A schedule is not that of a sweeper.");

  const dashboards = propertiesOf("AWS::CloudWatch::Dashboard");
  if (dashboards.some(({ DashboardBody }) => dashboardMetrics(DashboardBody).length > maxDashboardMetrics))
    throw new Error("A dashboard has more metrics than a free one may have.");

  const alarms = propertiesOf("AWS::CloudWatch::Alarm").reduce((sum, alarm) => sum + watchedMetrics(alarm), 0);
  // Metrics are billed by the hours with data points, none while unused; counted as if always published.
  const metrics = Object.keys(publishedMetrics).length;
  // Stream mappings, which have a starting position, poll for free.
  const queues = propertiesOf("AWS::Lambda::EventSourceMapping").filter(
    ({ StartingPosition }) => StartingPosition === undefined,
  );
  const pollers = queues.reduce((sum, mapping) => sum + pollersOf(mapping), 0);
  const calls = schedules.length * sweeps;
  const gigabyteSeconds = calls * sweepSeconds * sweepGigabytes;
  const logged = (calls * sweepLog) / 2 ** 30;
  const item = (name: string, amount: number, free: number, price: number): IdleItem => ({
    item: name,
    dollars: beyond(amount, free) * price,
    alone: amount * price,
  });
  return [
    item(`${alarms} metrics of alarms`, alarms, 10, 0.1),
    item(`${metrics} metrics of our own, if they are published`, metrics, 10, 0.3),
    item(dashboards.length === 1 ? "a dashboard" : `${dashboards.length} dashboards`, dashboards.length, 3, 3),
    item(`polling of ${queues.length} queues`, pollers * pollsOfPoller, million, 0.4 / million),
    item("the sweeper's schedule", calls, 14 * million, 1 / million),
    item("the sweeper's calls", calls, million, 0.2 / million),
    item("the sweeper's time", gigabyteSeconds, 400_000, 0.0000133334),
    item("the sweeper's reads", calls * sweep.read, 0, 0.125 / million),
    item("the sweeper's writes", calls * sweep.write, 0, 0.625 / million),
    item("the sweeper's log", logged, 5, 0.5),
  ];
};
