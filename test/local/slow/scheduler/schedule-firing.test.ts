import { expect, test } from "vitest";
import { scheduleFiring } from "../../../../infra/local/scheduler/firing.ts";
import { parseDefinition } from "../../../../infra/local/scheduler/schedule.ts";
import { openSchedules, type Schedule, type Schedules } from "../../../../infra/local/scheduler/schedules.ts";
import { resolverOf } from "../../../../infra/local/template/intrinsics.ts";
import { temporaryDirectory } from "../../../support/service/local-fixture.ts";

const start = Date.parse("2026-11-21T09:00:00Z");
const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];

const definition = (expression: string, fields: object = {}) =>
  parseDefinition({
    ScheduleExpression: expression,
    FlexibleTimeWindow: { Mode: "OFF" },
    Target: { Arn: "queue", RoleArn: "role" },
    ...fields,
  });

const opened = (directory = temporaryDirectory()): Schedules =>
  openSchedules(directory, resolverOf({ Resources: {} }), start);

/** A Scheduler whose clock is a number, and its deliveries. */
const scheduler = (schedules: Schedules, take: (attempt: number) => boolean = () => true) => {
  const fired: string[] = [];
  const buried: string[] = [];
  const timeOf = ({ next }: Schedule): string => new Date(next).toISOString().slice(0, 16);
  const { fireDue } = scheduleFiring(
    schedules,
    (schedule, attempt) => {
      if (!take(attempt)) return Promise.reject(new Error("The queue is away."));
      fired.push(timeOf(schedule));
      return Promise.resolve();
    },
    {
      deadLetter: async (schedule, attempts) => void buried.push(`${timeOf(schedule)} after ${attempts}`),
      log: () => {},
    },
  );
  const runUntil = async (from: number, until: number, step: number): Promise<void> => {
    for (let now = from; now <= until; now += step) await fireDue(now);
  };
  return { fired, buried, runUntil, fireDue };
};

test("a rate fires at its start date and then without drift, however late its clock is read", async () => {
  const schedules = opened();
  schedules.create("a", definition("rate(6 hours)", { StartDate: "2026-11-21T15:00:00Z" }), start);
  const { fired, runUntil } = scheduler(schedules);

  await runUntil(start, start + day + 6 * hour, 7 * minute);

  expect(fired).toEqual(["2026-11-21T15:00", "2026-11-21T21:00", "2026-11-22T03:00", "2026-11-22T09:00"]);
});

test("firings missed while the clock stands still are made up for by one", async () => {
  const directory = temporaryDirectory();
  const before = opened(directory);
  before.create("a", definition("cron(0 * * * ? *)"), start);
  await scheduler(before).runUntil(start, start + hour, minute);

  const { fired, runUntil } = scheduler(opened(directory));
  await runUntil(start + day, start + day + hour, minute);

  expect(fired).toEqual(["2026-11-21T11:00", "2026-11-22T10:00"]);
});

test("a schedule fires between its start and its end, both included, and not while it is disabled", async () => {
  const schedules = opened();
  const window = { StartDate: "2026-11-21T10:00:00Z", EndDate: "2026-11-21T12:00:00Z" };
  schedules.create("a", definition("cron(0 * * * ? *)", window), start);
  schedules.create("b", definition("cron(30 * * * ? *)", { State: "DISABLED" }), start);
  const { fired, runUntil } = scheduler(schedules);

  await runUntil(start, start + day, minute);

  expect(fired).toEqual(["2026-11-21T10:00", "2026-11-21T11:00", "2026-11-21T12:00"]);
});

test("a one-time schedule fires once, and is deleted if it was created so", async () => {
  const schedules = opened();
  const once = "at(2026-11-21T09:05:00)";
  schedules.create("gone", definition(once, { ActionAfterCompletion: "DELETE" }), start);
  schedules.create("kept", definition(once), start);
  const { fired, runUntil } = scheduler(schedules);

  await runUntil(start, start + hour, minute);

  expect(fired).toEqual(["2026-11-21T09:05", "2026-11-21T09:05"]);
  expect(schedules.all().map(({ name }) => name)).toEqual(["kept"]);
});

test("a failed delivery is retried with growing waits and has its original instant", async () => {
  const schedules = opened();
  schedules.create("a", definition("at(2026-11-21T09:05:00)"), start);
  const { fired, buried, runUntil } = scheduler(schedules, (attempt) => attempt === 4);

  await runUntil(start, start + 5 * minute + 6 * second, second);
  const early = [...fired];
  await runUntil(start + 5 * minute + 7 * second, start + hour, second);

  expect(early).toEqual([]);
  expect(fired).toEqual(["2026-11-21T09:05"]);
  expect(buried).toEqual([]);
});

test("a delivery that keeps failing is discarded after its retries", async () => {
  const schedules = opened();
  const target = { Arn: "queue", RoleArn: "role", RetryPolicy: { MaximumRetryAttempts: 2 } };
  schedules.create("a", definition("cron(5 * * * ? *)", { Target: target }), start);
  const { fired, buried, runUntil } = scheduler(schedules, () => false);

  await runUntil(start, start + hour, second);

  expect(fired).toEqual([]);
  expect(buried).toEqual(["2026-11-21T09:05 after 3"]);
});

test("a schedule that is replaced during a delivery follows its new expression", async () => {
  const schedules = opened();
  schedules.create("a", definition("cron(5 * * * ? *)"), start);
  const { fireDue } = scheduleFiring(
    schedules,
    async () => void schedules.replace("a", definition("cron(20 * * * ? *)"), start + 5 * minute),
    { deadLetter: () => Promise.resolve(), log: () => {} },
  );

  await fireDue(start + 5 * minute);

  expect(schedules.all().map(({ next }) => new Date(next).toISOString())).toEqual(["2026-11-21T09:20:00.000Z"]);
});
