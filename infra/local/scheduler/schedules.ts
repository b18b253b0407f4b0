import { join } from "node:path";
import { readJson, writeJson } from "../host/json-file.ts";
import { ServiceError } from "../host/json-server.ts";
import { arn } from "../template/arn.ts";
import type { Resolver } from "../template/intrinsics.ts";
import { firstFiring, followingFiring, parseDefinition, type ScheduleDefinition } from "./schedule.ts";

/** A schedule and when it fires next; dates in epoch milliseconds. */
export interface Schedule {
  readonly name: string;
  readonly definition: ScheduleDefinition;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly next: number;
  /** The token it was created with: a creation repeated with it is the same creation. */
  readonly token?: string | undefined;
}

/** The schedules of the template and those made at run time. */
export interface Schedules {
  all(): readonly Schedule[];
  /** @throws ServiceError ResourceNotFoundException. */
  get(group: string, name: string): Schedule;
  /** @throws ServiceError ConflictException when the name is taken, ResourceNotFoundException when there is no such group. */
  create(name: string, definition: ScheduleDefinition, now: number, token?: string): Schedule;
  /** Replaces a schedule whole. @throws ServiceError ResourceNotFoundException. */
  replace(name: string, definition: ScheduleDefinition, now: number): Schedule;
  /** @throws ServiceError ResourceNotFoundException. */
  delete(group: string, name: string): void;
  /** Notes that the instant a schedule stood at is dealt with. */
  fired(schedule: Schedule, now: number): void;
}

/** What lasts: schedules made at run time, and when those of the template fire next. */
interface StoredSchedule {
  readonly made: readonly Schedule[];
  readonly next: Readonly<Record<string, number>>;
}

const keyOf = (group: string, name: string): string => `${group}/${name}`;

export const scheduleArn = ({ name, definition }: Schedule): string =>
  arn("scheduler", `schedule/${definition.GroupName}/${name}`);

/** Opens the schedules of a directory, kept in `schedules.json`. */
export const openSchedules = (directory: string, resolver: Resolver, now: number): Schedules => {
  const path = join(directory, "schedules.json");
  const kept = readJson<StoredSchedule>(path);
  const groups = new Set([
    "default",
    ...resolver.resources("AWS::Scheduler::ScheduleGroup").map(({ id }) => resolver.nameOf(id)),
  ]);
  const fixed = resolver.resources("AWS::Scheduler::Schedule").map(({ id, properties }): Schedule => {
    const name = resolver.nameOf(id);
    const definition = parseDefinition(properties);
    const next = kept?.next[keyOf(definition.GroupName, name)] ?? firstFiring(definition, now);
    return { name, definition, createdAt: 0, changedAt: 0, next };
  });
  const fixedKeys = new Set(fixed.map(({ name, definition }) => keyOf(definition.GroupName, name)));
  const schedules = new Map(
    [...fixed, ...(kept?.made ?? [])].map((schedule) => [
      keyOf(schedule.definition.GroupName, schedule.name),
      schedule,
    ]),
  );

  const save = (): void => {
    const entries = [...schedules];
    writeJson(path, {
      made: entries.flatMap(([key, schedule]) => (fixedKeys.has(key) ? [] : [schedule])),
      next: Object.fromEntries(entries.flatMap(([key, { next }]) => (fixedKeys.has(key) ? [[key, next]] : []))),
    } satisfies StoredSchedule);
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
      const there = schedules.get(keyOf(GroupName, name));
      if (there !== undefined) {
        if (token !== undefined && there.token === token) return there;
        throw new ServiceError("ConflictException", `Schedule ${name} already exists.`, 409);
      }
      return put({ name, definition, createdAt: at, changedAt: at, next: firstFiring(definition, at), token });
    },
    replace: (name, definition, at) => {
      const before = get(definition.GroupName, name);
      return put({ ...before, definition, changedAt: at, next: firstFiring(definition, at) });
    },
    delete: (group, name) => {
      get(group, name);
      schedules.delete(keyOf(group, name));
      save();
    },
    fired: (schedule, at) => {
      const key = keyOf(schedule.definition.GroupName, schedule.name);
      const current = schedules.get(key);
      // Changed or deleted while it was being delivered.
      if (current?.next !== schedule.next || current.changedAt !== schedule.changedAt) return;
      const next = followingFiring(current.definition, current.next, at);
      const over = next === Number.MAX_SAFE_INTEGER && current.definition.ActionAfterCompletion === "DELETE";
      if (over) schedules.delete(key);
      else schedules.set(key, { ...current, next });
      save();
    },
  };
};
