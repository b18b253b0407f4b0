import { expect, test } from "vitest";
import { idleBill, type IdleItem } from "../../vitals/idle-bill.ts";
import { publishedMetrics } from "../../../lib/published-metrics.ts";
import type { Template } from "../../../infra/local/template/template.ts";
import { synthesize } from "../synthesize.ts";

/** Upper bound of the units that a sweep without work consumes. */
const sweep = { read: 10, write: 2 };

const template = () => synthesize({ alarmEmail: "operator@example.com" }).template.toJSON() as Template;

const total = (bill: readonly IdleItem[]): number => bill.reduce((sum, { dollars }) => sum + dollars, 0);

const withResource = (Type: string, Properties: Readonly<Record<string, unknown>> = {}): Template => {
  const stackTemplate = template();
  return { ...stackTemplate, Resources: { ...stackTemplate.Resources, More: { Type, Properties } } };
};

test("a month without calls costs less than a dollar", () => {
  const bill = idleBill(template(), sweep);

  expect(total(bill)).toBeGreaterThan(0.1);
  expect(total(bill)).toBeLessThan(1);
  expect(bill.every(({ dollars, alone }) => dollars <= alone)).toBe(true);
});

const graph = (metrics: number) => ({
  type: "metric",
  properties: { metrics: Array.from({ length: metrics }, (_, at) => ["Assay", `Metric${at}`]) },
});

const dashboard = (...widgets: readonly ReturnType<typeof graph>[]) =>
  withResource("AWS::CloudWatch::Dashboard", {
    DashboardBody: { "Fn::Join": ["", [JSON.stringify({ widgets })]] },
  });

test("service metrics, the dashboard and all metrics of alarms but one are within AWS's free tier", () => {
  const bill = idleBill(template(), sweep);
  const [alarms, metrics, page] = bill;

  expect([alarms?.item, page?.item]).toEqual(["11 metrics of alarms", "a dashboard"]);
  expect([metrics, page].map((item) => item?.dollars)).toEqual([0, 0]);
  expect(alarms?.dollars).toBeCloseTo(0.1);
  expect(metrics?.alone).toBeCloseTo(0.3 * Object.keys(publishedMetrics).length);
  expect(page?.alone).toBe(3);
});

test("more alarms cost the documented amount of their setting", () => {
  const templateWithMoreAlarms = synthesize({ moreAlarms: true }).template.toJSON() as Template;

  expect(total(idleBill(templateWithMoreAlarms, sweep)) - total(idleBill(template(), sweep))).toBeCloseTo(5.2);
});

test("a dashboard with more metrics than a free one is refused, and a fourth dashboard is on the bill", () => {
  const bill = idleBill(dashboard(graph(30), graph(20)), sweep);

  expect(bill.find(({ item }) => item === "2 dashboards")).toMatchObject({ dollars: 0, alone: 6 });
  expect(() => idleBill(dashboard(graph(30), graph(21)), sweep)).toThrow("more metrics than a free one");
});

test("an additional alarm and a third queue are on the bill", () => {
  const costAlone = (bill: readonly IdleItem[]): number => bill.reduce((sum, { alone }) => sum + alone, 0);
  const now = costAlone(idleBill(template(), sweep));

  expect(costAlone(idleBill(withResource("AWS::CloudWatch::Alarm"), sweep)) - now).toBeCloseTo(0.1);
  const queue = withResource("AWS::Lambda::EventSourceMapping", { ScalingConfig: { MaximumConcurrency: 5 } });
  expect(costAlone(idleBill(queue, sweep)) - now).toBeCloseTo(0.263);
});

test("two queues are polled for 37 cents, since only the judges' mapping has a maximum that keeps five pollers", () => {
  const mappings = Object.values(template().Resources).filter(
    ({ Type, Properties }) =>
      Type === "AWS::Lambda::EventSourceMapping" && Properties?.["StartingPosition"] === undefined,
  );
  const polling = idleBill(template(), sweep).find(({ item }) => item === "polling of 2 queues");

  expect(mappings.map(({ Properties }) => Properties?.["ScalingConfig"])).toEqual(
    expect.arrayContaining([{ MaximumConcurrency: 5 }, {}]),
  );
  expect(polling?.alone).toBeCloseTo(0.368);
});

test("a resource without a price here is refused", () => {
  expect(() => idleBill(withResource("AWS::EC2::NatGateway"), sweep)).toThrow("AWS::EC2::NatGateway");
  expect(() => idleBill(withResource("AWS::DynamoDB::Table", { BillingMode: "PROVISIONED" }), sweep)).toThrow(
    "capacity",
  );
  const schedule = { ScheduleExpression: "rate(5 minutes)" };
  expect(() => idleBill(withResource("AWS::Scheduler::Schedule", schedule), sweep)).toThrow("schedule");
});
