import type { Template } from "../../infra/local/template/template.ts";
import { publishedMetrics } from "../../lib/published-metrics.ts";
import { dashboardMetrics } from "./dashboard-metrics.ts";

/** What one item of the stack costs in a month in which nobody calls it, US dollars, us-east-1, November 2026. */
export interface IdleItem {
  readonly item: string;
  /** Within what AWS gives every account each month without an end: 10 alarms, 10 metrics and 3 dashboards of 50 metrics, 10^6 SQS requests, 10^6 calls and 400,000 GB-s of Lambda, 14 * 10^6 of Scheduler, 5 GB of logs. */
  readonly dollars: number;
  /** Where other work in the account has used all of that up. */
  readonly alone: number;
}

/** What the sweeper does each minute when there is nothing to do: capacity units, as the vitals measure them. */
export interface IdleSweep {
  readonly read: number;
  readonly write: number;
}

const minutes = 60 * 24 * 365.25;
/** In a month. */
const sweeps = minutes / 12;
/** A queue's pollers, each asking again after 20 s without an answer. */
const polls = 5 * 3 * sweeps;
/** Seconds a sweep takes on Lambda, assumed; and bytes it logs, with Lambda's own lines. */
const [sweepSeconds, sweepLog] = [0.3, 700];

/** What is billed for what is in it or passes through it alone. */
const freeWhileIdle: ReadonlySet<string> = new Set([
  "AWS::ApiGateway::ApiKey",
  "AWS::ApiGateway::Deployment",
  "AWS::ApiGateway::RestApi",
  "AWS::ApiGateway::Stage",
  "AWS::ApiGateway::UsagePlan",
  "AWS::ApiGateway::UsagePlanKey",
  "AWS::DynamoDB::Table",
  "AWS::IAM::Role",
  "AWS::Lambda::EventInvokeConfig",
  "AWS::Logs::LogGroup",
  "AWS::SNS::Subscription",
  "AWS::SNS::Topic",
  "AWS::SNS::TopicPolicy",
  "AWS::SQS::Queue",
  "AWS::SQS::QueuePolicy",
  "AWS::SSM::Parameter",
  "AWS::Scheduler::ScheduleGroup",
]);

/** What is counted below; a function by its calls. */
const counted: ReadonlySet<string> = new Set([
  "AWS::CloudWatch::Alarm",
  "AWS::CloudWatch::Dashboard",
  "AWS::Lambda::EventSourceMapping",
  "AWS::Lambda::Function",
  "AWS::Scheduler::Schedule",
]);

/** Metrics that an alarm watches: each of an expression's is paid for. */
const watched = ({ Metrics }: Readonly<Record<string, unknown>>): number =>
  Array.isArray(Metrics) ? Metrics.filter((one: object) => "MetricStat" in one).length : 1;

/** Of a dashboard that is among the free ones. */
const mostDashboardMetrics = 50;

const million = 1_000_000;
const beyond = (amount: number, free: number): number => Math.max(0, amount - free);

/**
 * The bill of a month in which nobody calls the service, item by item.
 *
 * @throws Error for a kind of resource whose price is not known here, or whose settings make it cost more.
 */
export const idleBill = (template: Template, sweep: IdleSweep): readonly IdleItem[] => {
  const resources = Object.values(template.Resources);
  const of = (type: string) => resources.filter(({ Type }) => Type === type).map(({ Properties = {} }) => Properties);
  const unknown = resources.filter(({ Type }) => !freeWhileIdle.has(Type) && !counted.has(Type));
  if (unknown.length > 0) throw new Error(`It is not known what ${unknown.map(({ Type }) => Type).join(", ")} costs.`);
  const tables = of("AWS::DynamoDB::Table");
  if (tables.some(({ BillingMode }) => BillingMode !== "PAY_PER_REQUEST"))
    throw new Error("A table has capacity of its own.");
  const schedules = of("AWS::Scheduler::Schedule");
  if (schedules.some(({ ScheduleExpression }) => ScheduleExpression !== "rate(1 minute)"))
    throw new Error("A schedule is not that of a sweeper.");

  const dashboards = of("AWS::CloudWatch::Dashboard");
  if (dashboards.some(({ DashboardBody }) => dashboardMetrics(DashboardBody).length > mostDashboardMetrics))
    throw new Error("A dashboard has more metrics than a free one may have.");

  const alarms = of("AWS::CloudWatch::Alarm").reduce((sum, alarm) => sum + watched(alarm), 0);
  // Billed by the hours in which they are published, none while nobody calls: counted as if it were always.
  const metrics = Object.keys(publishedMetrics).length;
  // A stream's mapping polls for nothing.
  const queues = of("AWS::Lambda::EventSourceMapping").filter(
    ({ ScalingConfig }) => ScalingConfig !== undefined,
  ).length;
  const calls = schedules.length * sweeps;
  const gigabyteSeconds = calls * sweepSeconds * 0.5;
  const logged = (calls * sweepLog) / 2 ** 30;
  const item = (name: string, amount: number, free: number, price: number): IdleItem => ({
    item: name,
    dollars: beyond(amount, free) * price,
    alone: amount * price,
  });
  return [
    item(`${alarms} alarms`, alarms, 10, 0.1),
    item(`${metrics} metrics of our own, if they are published`, metrics, 10, 0.3),
    item(dashboards.length === 1 ? "a dashboard" : `${dashboards.length} dashboards`, dashboards.length, 3, 3),
    item(`polling of ${queues} queues`, queues * polls, million, 0.4 / million),
    item("the sweeper's schedule", calls, 14 * million, 1 / million),
    item("the sweeper's calls", calls, million, 0.2 / million),
    item("the sweeper's time", gigabyteSeconds, 400_000, 0.0000133334),
    item("the sweeper's reads", calls * sweep.read, 0, 0.125 / million),
    item("the sweeper's writes", calls * sweep.write, 0, 0.625 / million),
    item("the sweeper's log", logged, 5, 0.5),
  ];
};
