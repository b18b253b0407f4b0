import { join } from "node:path";
import { readJson, writeJson } from "../host/json-file.ts";
import { ServiceError } from "../host/json-server.ts";
import { arn } from "../template/arn.ts";
import type { Resolver } from "../template/intrinsics.ts";
import { firstFiring, followingFiring, parseDefinition, type ScheduleDefinition } from "./schedule.ts";

/** A schedule with the time of its next firing; dates in epoch milliseconds. */
export interface Schedule {
  readonly name: string;
  readonly definition: ScheduleDefinition;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly next: number;
  /** Client token of the creation; a repeated creation with the same token returns this schedule. */
  readonly token?: string | undefined;
}

/** Schedules, both from the template and created at run time. */
export interface Schedules {
  all(): readonly Schedule[];
  /** Returns a schedule. @throws ServiceError ResourceNotFoundException. */
  get(group: string, name: string): Schedule;
  /** Creates a schedule. @throws ServiceError ConflictException when the name exists, ResourceNotFoundException when the group does not exist. */
  create(name: string, definition: ScheduleDefinition, now: number, token?: string): Schedule;
  /** Replaces the definition of a schedule. @throws ServiceError ResourceNotFoundException. */
  replace(name: string, definition: ScheduleDefinition, now: number): Schedule;
  /** Deletes a schedule. @throws ServiceError ResourceNotFoundException. */
  delete(group: string, name: string): void;
  /** Stores that the current firing of a schedule is delivered or abandoned, and computes its next firing. */
  markFired(schedule: Schedule, now: number): void;
}

/** Content of `schedules.json`: schedules created at run time, and the next firing of template schedules by group and name. */
interface StoredSchedules {
  readonly made: readonly Schedule[];
  readonly next: Readonly<Record<string, number>>;
}

const keyOf = (group: string, name: string): string => `${group}/${name}`;

export const scheduleArn = ({ name, definition }: Schedule): string =>
  arn("scheduler", `schedule/${definition.GroupName}/${name}`);

/** Opens the schedules of the template and those stored in `schedules.json` of a directory. */
export const openSchedules = (directory: string, resolver: Resolver, now: number): Schedules => {
  const path = join(directory, "schedules.json");
  const savedSchedules = readJson<StoredSchedules>(path);
  const groups = new Set([
    "default",
    ...resolver.resources("AWS::Scheduler::ScheduleGroup").map(({ id }) => resolver.nameOf(id)),
  ]);
  const templateSchedules = resolver.resources("AWS::Scheduler::Schedule").map(({ id, properties }): Schedule => {
    const name = resolver.nameOf(id);
    const definition = parseDefinition(properties);
    const next = savedSchedules?.next[keyOf(definition.GroupName, name)] ?? firstFiring(definition, now);
    return { name, definition, createdAt: 0, changedAt: 0, next };
  });
  const templateKeys = new Set(templateSchedules.map(({ name, definition }) => keyOf(definition.GroupName, name)));
  const schedules = new Map(
    [...templateSchedules, ...(savedSchedules?.made ?? [])].map((schedule) => [
      keyOf(schedule.definition.GroupName, schedule.name),
      schedule,
    ]),
  );

  const save = (): void => {
    const entries = [...schedules];
    writeJson(path, {
      made: entries.flatMap(([key, schedule]) => (templateKeys.has(key) ? [] : [schedule])),
      next: Object.fromEntries(entries.flatMap(([key, { next }]) => (templateKeys.has(key) ? [[key, next]] : []))),
    } satisfies StoredSchedules);
  };
  const get = (group: string, name: string): Schedule => {
    const schedule = schedules.get(keyOf(group, name));
    if (schedule === undefined) {
      throw new ServiceError("ResourceNotFoundException", `Schedule ${name} does not exist.`, 404);
    }
    return schedule;
  };
  const put = (schedule: Schedule): Schedule => {
    schedules.set(keyOf(schedule.definition.GroupName, schedule.name), schedule);
    save();
    return schedule;
  };

  return {
    all: () => [...schedules.values()],
    get,
    create: (name, definition, at, token) => {
      const { GroupName } = definition;
      if (!groups.has(GroupName)) {
        throw new ServiceError("ResourceNotFoundException", `Schedule group ${GroupName} does not exist.`, 404);
      }
      const existing = schedules.get(keyOf(GroupName, name));
      if (existing !== undefined) {
        if (token !== undefined && existing.token === token) return existing;
        throw new ServiceError("ConflictException", `Schedule ${name} already exists.`, 409);
      }
      return put({ name, definition, createdAt: at, changedAt: at, next: firstFiring(definition, at), token });
    },
    replace: (name, definition, at) => {
      const current = get(definition.GroupName, name);
      return put({ ...current, definition, changedAt: at, next: firstFiring(definition, at) });
    },
    delete: (group, name) => {
      get(group, name);
      schedules.delete(keyOf(group, name));
      save();
    },
    markFired: (schedule, at) => {
      const key = keyOf(schedule.definition.GroupName, schedule.name);
      const current = schedules.get(key);
      // The schedule was changed or deleted during the delivery.
      if (current?.next !== schedule.next || current.changedAt !== schedule.changedAt) return;
      const next = followingFiring(current.definition, current.next, at);
      const isCompleted = next === Number.MAX_SAFE_INTEGER && current.definition.ActionAfterCompletion === "DELETE";
      if (isCompleted) schedules.delete(key);
      else schedules.set(key, { ...current, next });
      save();
    },
  };
};
