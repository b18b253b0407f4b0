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

/** Where the schedules of this stack lie and what they send to. */
export interface ScheduleSettings {
  readonly group: string;
  readonly roleArn: string;
  readonly queueArn: string;
  readonly deadLettersArn: string;
}

/** The schedules of monitors in EventBridge Scheduler. */
export interface Schedules {
  /** Makes a monitor's schedules what its generation asks for, whatever they were. */
  apply(monitor: Monitor): Promise<void>;
  /** Removes a monitor's schedules, as far as there are any. */
  remove(project: string, monitor: string): Promise<void>;
  /** One page of the monitors that have schedules. @param from where the page before ended; null for the first. */
  page(from: string | null): Promise<{
    readonly monitors: readonly { readonly project: string; readonly monitor: string }[];
    /** Null after the last page. */
    readonly next: string | null;
  }>;
}

/** A cadence that restricts both days takes two schedules. */
const mostSchedules = 2;

/** Seconds for which the Scheduler tries to send a firing; the sweeper fires what is minutes late. */
const longestAge = 3_600;

const pageSize = 50;

const short = (uuid: string): string => Buffer.from(uuid.replaceAll("-", ""), "hex").toString("base64url");

const uuidOf = (text: string): string => {
  const hex = Buffer.from(text, "base64url").toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
};

/** Names hold 64 characters: two UUIDs fit in base64url. */
const nameOf = (project: string, monitor: string, index: number): string =>
  `${short(project)}.${short(monitor)}.${index}`;

const namedBy = (name: string) => {
  const [project = "", monitor = ""] = name.split(".");
  return { project: uuidOf(project), monitor: uuidOf(monitor) };
};

/** Connects to the Scheduler. @param bounds of its calls, the usual ones when absent: shorter than a request's life. */
export const schedulerClient = (bounds?: CallBounds): SchedulerClient => awsClient(SchedulerClient, bounds);

export const monitorSchedules = (
  { group, roleArn, queueArn, deadLettersArn }: ScheduleSettings,
  client: Pick<SchedulerClient, "send">,
  now: () => number = Date.now,
): Schedules => {
  const remove = async (project: string, monitor: string, index: number): Promise<void> => {
    try {
      await client.send(new DeleteScheduleCommand({ Name: nameOf(project, monitor, index), GroupName: group }));
    } catch (error) {
      if (!(error instanceof ResourceNotFoundException)) throw error;
    }
  };

  const inputOf = (monitor: Monitor, expression: string, index: number): UpdateScheduleCommandInput => {
    const { projectId, id, generation, status, anchor } = monitor;
    const cadence = cadenceOf(monitor);
    const message = { project: projectId, monitor: id, generation };
    return {
      Name: nameOf(projectId, id, index),
      GroupName: group,
      ScheduleExpression: expression,
      // Without a start a rate fires at once.
      ...(cadence.kind === "interval" && { StartDate: new Date(nextInstant(cadence, anchor, now())) }),
      State: status === "ACTIVE" ? "ENABLED" : "DISABLED",
      FlexibleTimeWindow: { Mode: "OFF" },
      Target: {
        Arn: queueArn,
        RoleArn: roleArn,
        Input: writeFiringMessage(message, "<aws.scheduler.scheduled-time>"),
        RetryPolicy: { MaximumEventAgeInSeconds: longestAge, MaximumRetryAttempts: 185 },
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
      // Made by another request in between.
      if (!(error instanceof ConflictException) || !(await update())) throw error;
    }
  };

  return {
    apply: async (monitor) => {
      const expressions = scheduleExpressions(cadenceOf(monitor));
      for (let index = 0; index < mostSchedules; index += 1) {
        const expression = expressions[index];
        if (expression === undefined) await remove(monitor.projectId, monitor.id, index);
        else await put(inputOf(monitor, expression, index));
      }
    },

    remove: async (project, monitor) => {
      for (let index = 0; index < mostSchedules; index += 1) await remove(project, monitor, index);
    },

    page: async (from) => {
      const { Schedules: found = [], NextToken } = await client.send(
        new ListSchedulesCommand({ GroupName: group, MaxResults: pageSize, NextToken: from ?? undefined }),
      );
      return { monitors: found.map(({ Name = "" }) => namedBy(Name)), next: NextToken ?? null };
    },
  };
};
