import {
  ConflictException,
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  DeleteScheduleCommand,
  GetScheduleCommand,
  ListSchedulesCommand,
  ResourceNotFoundException,
  SchedulerClient,
  UpdateScheduleCommand,
  ValidationException,
} from "@aws-sdk/client-scheduler";
import { afterEach, expect, test } from "vitest";
import { localClient } from "../../../../infra/local/host/aws-client.ts";
import type { Endpoint } from "../../../../infra/local/host/loopback-server.ts";
import { openSchedules } from "../../../../infra/local/scheduler/schedules.ts";
import { startSchedulerApi } from "../../../../infra/local/scheduler/scheduler-api.ts";
import { resolverOf } from "../../../../infra/local/template/intrinsics.ts";
import { temporaryDirectory } from "../../../support/service/local-fixture.ts";

const template = { Resources: { monitors: { Type: "AWS::Scheduler::ScheduleGroup" } } };

let endpoint: Endpoint | undefined;
let client: SchedulerClient | undefined;

afterEach(async () => {
  client?.destroy();
  await endpoint?.close();
});

const started = async (directory = temporaryDirectory()): Promise<SchedulerClient> => {
  endpoint = await startSchedulerApi(openSchedules(directory, resolverOf(template), Date.now()));
  client = new SchedulerClient(localClient(endpoint.url));
  return client;
};

const daily = (Name: string): CreateScheduleCommandInput => ({
  Name,
  GroupName: "monitors",
  ScheduleExpression: "rate(24 hours)",
  StartDate: new Date("2030-01-01T09:00:00Z"),
  FlexibleTimeWindow: { Mode: "OFF" },
  Target: { Arn: "arn:aws:sqs:us-east-1:000000000000:firings", RoleArn: "arn:aws:iam::000000000000:role/fires" },
});

test("a schedule is read as it was created, replaced whole and absent after its deletion", async () => {
  const scheduler = await started();

  const created = await scheduler.send(new CreateScheduleCommand({ ...daily("a"), Description: "first" }));
  const first = await scheduler.send(new GetScheduleCommand({ Name: "a", GroupName: "monitors" }));
  await scheduler.send(new UpdateScheduleCommand({ ...daily("a"), State: "DISABLED" }));
  const second = await scheduler.send(new GetScheduleCommand({ Name: "a", GroupName: "monitors" }));
  await scheduler.send(new DeleteScheduleCommand({ Name: "a", GroupName: "monitors" }));
  const gone = scheduler.send(new GetScheduleCommand({ Name: "a", GroupName: "monitors" }));

  expect(created.ScheduleArn).toBe("arn:aws:scheduler:us-east-1:000000000000:schedule/monitors/a");
  expect(first).toMatchObject({ ...daily("a"), Description: "first", State: "ENABLED", Arn: created.ScheduleArn });
  expect(second.State).toBe("DISABLED");
  expect(second.Description).toBeUndefined();
  await expect(gone).rejects.toThrow(ResourceNotFoundException);
});

test("a name is used once in a group, except by a retry of the same call", async () => {
  const scheduler = await started();
  await scheduler.send(new CreateScheduleCommand({ ...daily("a"), ClientToken: "one" }));

  const repeated = await scheduler.send(new CreateScheduleCommand({ ...daily("a"), ClientToken: "one" }));

  expect(repeated.ScheduleArn).toBeDefined();
  await expect(scheduler.send(new CreateScheduleCommand(daily("a")))).rejects.toThrow(ConflictException);
});

test.each([
  ["an expression that is none", { ScheduleExpression: "every day" }, ValidationException],
  ["a name with a blank", { Name: "a b" }, ValidationException],
  ["a flexible window", { FlexibleTimeWindow: { Mode: "FLEXIBLE", MaximumWindowInMinutes: 5 } }, ValidationException],
  ["no target", { Target: undefined }, ValidationException],
  ["a group that is not there", { GroupName: "others" }, ResourceNotFoundException],
] as const)("a schedule with %s is refused", async (_, change, error) => {
  const scheduler = await started();

  const making = scheduler.send(new CreateScheduleCommand({ ...daily("a"), ...change }));

  await expect(making).rejects.toThrow(error);
});

test("schedules are listed by group, prefix and state, page by page, after a restart too", async () => {
  const directory = temporaryDirectory();
  const scheduler = await started(directory);
  for (const name of ["b-2", "a-1", "b-1"]) await scheduler.send(new CreateScheduleCommand(daily(name)));
  await scheduler.send(new CreateScheduleCommand({ ...daily("b-3"), State: "DISABLED" }));
  await endpoint?.close();

  const restarted = await started(directory);
  const first = await restarted.send(new ListSchedulesCommand({ GroupName: "monitors", MaxResults: 2 }));
  const second = await restarted.send(
    new ListSchedulesCommand({ GroupName: "monitors", MaxResults: 2, NextToken: first.NextToken }),
  );
  const enabled = await restarted.send(
    new ListSchedulesCommand({ GroupName: "monitors", NamePrefix: "b", State: "ENABLED" }),
  );
  const defaultGroup = await restarted.send(new ListSchedulesCommand({ GroupName: "default" }));

  expect([first, second].map(({ Schedules }) => Schedules?.map(({ Name }) => Name))).toEqual([
    ["a-1", "b-1"],
    ["b-2", "b-3"],
  ]);
  expect(second.NextToken).toBeUndefined();
  expect(enabled.Schedules?.map(({ Name }) => Name)).toEqual(["b-1", "b-2"]);
  expect(defaultGroup.Schedules).toEqual([]);
});
