import { serveJson, ServiceError, type JsonRequest } from "../host/json-server.ts";
import type { Endpoint } from "../host/loopback-server.ts";
import { parseDefinition } from "./schedule.ts";
import { type Schedule, scheduleArn, type Schedules } from "./schedules.ts";

type Handle = (request: JsonRequest, name: string) => unknown;

const namePattern = /^[0-9a-zA-Z\-_.]{1,64}$/;
const maxPageSize = 100;

const seconds = (milliseconds: number | undefined): number | undefined =>
  milliseconds === undefined ? undefined : milliseconds / 1_000;

const groupOf = ({ url }: JsonRequest): string => url.searchParams.get("groupName") ?? "default";

const summary = (schedule: Schedule) => ({
  Arn: scheduleArn(schedule),
  Name: schedule.name,
  GroupName: schedule.definition.GroupName,
  State: schedule.definition.State,
  CreationDate: seconds(schedule.createdAt),
  LastModificationDate: seconds(schedule.changedAt),
});

const operations = (
  schedules: Schedules,
  now: () => number,
): readonly (readonly [method: string, path: RegExp, handle: Handle])[] => [
  [
    "POST",
    /^\/schedules\/([^/]+)$/,
    ({ body }, name) => {
      if (!namePattern.test(name))
        throw new ServiceError("ValidationException", "The name of the schedule is not valid.");
      const token = typeof body["ClientToken"] === "string" ? body["ClientToken"] : undefined;
      return { ScheduleArn: scheduleArn(schedules.create(name, parseDefinition(body), now(), token)) };
    },
  ],
  [
    "PUT",
    /^\/schedules\/([^/]+)$/,
    ({ body }, name) => ({ ScheduleArn: scheduleArn(schedules.replace(name, parseDefinition(body), now())) }),
  ],
  [
    "GET",
    /^\/schedules\/([^/]+)$/,
    (request, name) => {
      const schedule = schedules.get(groupOf(request), name);
      const { StartDate, EndDate } = schedule.definition;
      return {
        ...schedule.definition,
        ...summary(schedule),
        StartDate: seconds(StartDate),
        EndDate: seconds(EndDate),
      };
    },
  ],
  [
    "DELETE",
    /^\/schedules\/([^/]+)$/,
    (request, name) => {
      schedules.delete(groupOf(request), name);
      return {};
    },
  ],
  [
    "GET",
    /^\/schedules$/,
    ({ url: { searchParams } }) => {
      const [group, prefix, state] = ["ScheduleGroup", "NamePrefix", "State"].map((name) => searchParams.get(name));
      const matchingSchedules = schedules
        .all()
        .filter(({ definition }) => group === null || definition.GroupName === group)
        .filter(({ name }) => name.startsWith(prefix ?? ""))
        .filter(({ definition }) => state === null || definition.State === state)
        .toSorted((a, b) => (a.name < b.name ? -1 : 1));
      const from = Number(searchParams.get("NextToken") ?? 0);
      const end = from + Math.min(Number(searchParams.get("MaxResults") ?? maxPageSize), maxPageSize);
      const summaries = matchingSchedules
        .slice(from, end)
        .map((schedule) => Object.assign(summary(schedule), { Target: { Arn: schedule.definition.Target.Arn } }));
      return { Schedules: summaries, ...(end < matchingSchedules.length && { NextToken: String(end) }) };
    },
  ],
];

/**
 * Starts EventBridge Scheduler's REST API: CreateSchedule, UpdateSchedule, GetSchedule, DeleteSchedule, ListSchedules.
 *
 * Not supported: operations on groups (they come from the template), tags, encryption keys, the account's limits.
 */
export const startSchedulerApi = async (schedules: Schedules, now: () => number = Date.now): Promise<Endpoint> => {
  const routes = operations(schedules, now);
  return serveJson((request) => {
    const { pathname } = request.url;
    for (const [method, path, handle] of routes) {
      const match = request.method === method ? path.exec(pathname) : null;
      if (match !== null) return handle(request, decodeURIComponent(match[1] ?? ""));
    }
    throw new ServiceError(
      "ValidationException",
      `The local Scheduler does not support ${request.method} ${pathname}.`,
    );
  });
};
