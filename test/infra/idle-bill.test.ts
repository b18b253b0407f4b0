import { expect, test } from "vitest";
import { idleBill, type IdleItem } from "../vitals/idle-bill.ts";
import { publishedMetrics } from "../../lib/published-metrics.ts";
import type { Template } from "../../infra/local/template/template.ts";
import { synthesize } from "./synthesize.ts";

/** More than a sweep with nothing to do asks for. */
const sweep = { read: 10, write: 2 };

const template = () => synthesize({ alarmEmail: "operator@example.com" }).template.toJSON() as Template;

const total = (bill: readonly IdleItem[]): number => bill.reduce((sum, { dollars }) => sum + dollars, 0);

const withResource = (Type: string, Properties: Readonly<Record<string, unknown>> = {}): Template => {
  const own = template();
  return { ...own, Resources: { ...own.Resources, More: { Type, Properties } } };
};

test("a month in which nobody calls costs less than a dollar", () => {
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

test("alarms, metrics of our own and the dashboard are all within what is free", () => {
  const bill = idleBill(template(), sweep);
  const [alarms, metrics, page] = bill;

  expect([alarms?.item, page?.item]).toEqual(["10 alarms", "a dashboard"]);
  expect([alarms, metrics, page].map((one) => one?.dollars)).toEqual([0, 0, 0]);
  expect(metrics?.alone).toBeCloseTo(0.3 * Object.keys(publishedMetrics).length);
  expect(page?.alone).toBe(3);
});

test("more alarms cost what their setting says", () => {
  const more = synthesize({ moreAlarms: true }).template.toJSON() as Template;

  expect(total(idleBill(more, sweep)) - total(idleBill(template(), sweep))).toBeCloseTo(5.7);
});

test("a dashboard of more metrics than a free one may have is refused, and a fourth is on the bill", () => {
  const own = idleBill(dashboard(graph(30), graph(20)), sweep);

  expect(own.find(({ item }) => item === "2 dashboards")).toMatchObject({ dollars: 0, alone: 6 });
  expect(() => idleBill(dashboard(graph(30), graph(21)), sweep)).toThrow("more metrics than a free one");
});

test("an eleventh alarm and a third queue are on the bill", () => {
  const now = total(idleBill(template(), sweep));

  expect(total(idleBill(withResource("AWS::CloudWatch::Alarm"), sweep)) - now).toBeCloseTo(0.1);
  const queue = withResource("AWS::Lambda::EventSourceMapping", { ScalingConfig: {} });
  expect(total(idleBill(queue, sweep)) - now).toBeCloseTo(0.263);
});

test("what has no price here has to get one", () => {
  expect(() => idleBill(withResource("AWS::EC2::NatGateway"), sweep)).toThrow("AWS::EC2::NatGateway");
  expect(() => idleBill(withResource("AWS::DynamoDB::Table", { BillingMode: "PROVISIONED" }), sweep)).toThrow(
    "capacity",
  );
  const schedule = { ScheduleExpression: "rate(5 minutes)" };
  expect(() => idleBill(withResource("AWS::Scheduler::Schedule", schedule), sweep)).toThrow("schedule");
});
