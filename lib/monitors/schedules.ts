import { formatUuid } from "../domain/uuid.ts";
import {
  ConflictException,
  CreateScheduleCommand,
  DeleteScheduleCommand,
  ListSchedulesCommand,
  ResourceNotFoundException,
  SchedulerClient,
  UpdateScheduleCommand,
  type UpdateScheduleCommandInput,
} from "@aws-sdk/client-scheduler";
import { awsClient } from "../aws/aws-client.ts";
import type { CallBounds } from "../aws/call-bounds.ts";
import { nextInstant, scheduleExpressions } from "../domain/monitors/cadence.ts";
import { cadenceOf, type Monitor } from "../domain/monitors/monitor.ts";
import { writeFiringMessage } from "../queue/firing-message.ts";

/** The schedule group of the stack, and the queues and role its schedules send with. */
export interface ScheduleSettings {
  readonly group: string;
  readonly roleArn: string;
  readonly queueArn: string;
  readonly deadLettersArn: string;
}

/** Writes, removes and lists the schedules of monitors in EventBridge Scheduler. */
export interface Schedules {
  /** Creates, updates or removes a monitor's schedules to match its cadence and status. */
  apply(monitor: Monitor): Promise<void>;
  /** Removes a monitor's schedules, if any. */
  remove(project: string, monitor: string): Promise<void>;
  /** Returns a page of the monitors that have schedules. @param from `next` of the previous page; null for the first. */
  page(from: string | null): Promise<{
    readonly monitors: readonly { readonly project: string; readonly monitor: string }[];
    /** Token of the next page; null after the last page. */
    readonly next: string | null;
  }>;
}

/** Max EventBridge schedules per monitor: a cron cadence with both day of month and day of week needs two. */
const maxSchedules = 2;

/** Seconds for which EventBridge Scheduler retries sending a firing; the sweeper fires instants that are minutes late. */
const maxEventAgeSeconds = 3_600;

const pageSize = 50;

const shortId = (uuid: string): string => Buffer.from(uuid.replaceAll("-", ""), "hex").toString("base64url");

const uuidFromShortId = (text: string): string => formatUuid(Buffer.from(text, "base64url").toString("hex"));

/** Returns the name of a monitor's schedule, at most 64 characters (the Scheduler's limit): two UUIDs in base64url and an index. */
const scheduleName = (project: string, monitor: string, index: number): string =>
  `${shortId(project)}.${shortId(monitor)}.${index}`;

const parseScheduleName = (name: string) => {
  const [project = "", monitor = ""] = name.split(".");
  return { project: uuidFromShortId(project), monitor: uuidFromShortId(monitor) };
};

/** Creates a client of EventBridge Scheduler. @param bounds timeouts and retries of its calls; absent: the defaults. */
export const schedulerClient = (bounds?: CallBounds): SchedulerClient => awsClient(SchedulerClient, bounds);

export const monitorSchedules = (
  { group, roleArn, queueArn, deadLettersArn }: ScheduleSettings,
  client: Pick<SchedulerClient, "send">,
  now: () => number = Date.now,
): Schedules => {
  const remove = async (project: string, monitor: string, index: number): Promise<void> => {
    try {
      await client.send(new DeleteScheduleCommand({ Name: scheduleName(project, monitor, index), GroupName: group }));
    } catch (error) {
      if (!(error instanceof ResourceNotFoundException)) throw error;
    }
  };

  const inputOf = (monitor: Monitor, expression: string, index: number): UpdateScheduleCommandInput => {
    const { projectId, id, generation, status, anchor } = monitor;
    const cadence = cadenceOf(monitor);
    const message = { project: projectId, monitor: id, generation };
    return {
      Name: scheduleName(projectId, id, index),
      GroupName: group,
      ScheduleExpression: expression,
      // Without a start date a rate schedule fires immediately.
      ...(cadence.kind === "interval" && { StartDate: new Date(nextInstant(cadence, anchor, now())) }),
      State: status === "ACTIVE" ? "ENABLED" : "DISABLED",
      FlexibleTimeWindow: { Mode: "OFF" },
      Target: {
        Arn: queueArn,
        RoleArn: roleArn,
        Input: writeFiringMessage(message, "<aws.scheduler.scheduled-time>"),
        RetryPolicy: { MaximumEventAgeInSeconds: maxEventAgeSeconds, MaximumRetryAttempts: 185 },
        DeadLetterConfig: { Arn: deadLettersArn },
      },
    };
  };

  const put = async (input: UpdateScheduleCommandInput): Promise<void> => {
    const update = async (): Promise<boolean> => {
      try {
        await client.send(new UpdateScheduleCommand(input));
        return true;
      } catch (error) {
        if (error instanceof ResourceNotFoundException) return false;
        throw error;
      }
    };
    if (await update()) return;
    try {
      await client.send(new CreateScheduleCommand(input));
    } catch (error) {
      // Another request has created the schedule since the update failed.
      if (!(error instanceof ConflictException) || !(await update())) throw error;
    }
  };

  return {
    apply: async (monitor) => {
      const expressions = scheduleExpressions(cadenceOf(monitor));
      for (let index = 0; index < maxSchedules; index += 1) {
        const expression = expressions[index];
        if (expression === undefined) await remove(monitor.projectId, monitor.id, index);
        else await put(inputOf(monitor, expression, index));
      }
    },

    remove: async (project, monitor) => {
      for (let index = 0; index < maxSchedules; index += 1) await remove(project, monitor, index);
    },

    page: async (from) => {
      const { Schedules: schedules = [], NextToken } = await client.send(
        new ListSchedulesCommand({ GroupName: group, MaxResults: pageSize, NextToken: from ?? undefined }),
      );
      return { monitors: schedules.map(({ Name = "" }) => parseScheduleName(Name)), next: NextToken ?? null };
    },
  };
};
