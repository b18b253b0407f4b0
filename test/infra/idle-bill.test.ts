import { expect, test } from "vitest";
import { idleBill, type IdleItem } from "../vitals/idle-bill.ts";
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
