import { randomUUID } from "node:crypto";
import { instantAt } from "../../../domain/instant.ts";
import type { Database } from "../../../dynamo/database.ts";
import { succeeds } from "../../../dynamo/failure.ts";
import { itemsOf } from "../../../dynamo/items.ts";
import type { TraceDay } from "../days.ts";
import { repricingJobs, repricingKey, type DayLane, type OpenRepricing, type RepricingStep } from "./jobs.ts";

/** Days of one repricing in work at the same time. Two workers never have the same day: its rows lie in few partitions. */
export const maxLanes = 6;

/** Milliseconds after its last step at which the day of a dead worker is free. */
export const dayLeaseMilliseconds = 90_000;

/** Attribute of a day's lane in the map of lanes. */
const laneName = (day: string): string => `d${day.replaceAll("-", "")}`;

/**
 * Leases of the days of repricings. They lie in the item of their repricing with the place that was reached, and every
 * change of a lane is conditional on its lease, so that a worker that lost it stores nothing.
 */
export const repricingDays = (database: Database, now: () => number = Date.now) => {
  const [jobs, aggregates] = [repricingJobs(database, now), itemsOf(database, "aggregates")];

  /** Changes a lane. @param change update expression of a lane. @returns false if another worker has its day. */
  const update = (project: string, id: string, lane: DayLane, change: (path: string) => string, values: object) => {
    const path = `lanes.${laneName(lane.day)}`;
    return succeeds(
      aggregates.update(repricingKey(project, id), change(path), {
        when: `${path}.#owner = :owner AND ${path}.looked = :before`,
        values: { ...values, ":owner": lane.owner, ":before": lane.looked },
      }),
    );
  };

  const newLease = () => ({ owner: randomUUID(), until: now() + dayLeaseMilliseconds });

  /** Takes over a lane whose lease has ended. @returns null if another worker did so. */
  const takeOver = async (project: string, id: string, lane: DayLane): Promise<DayLane | null> => {
    const { owner, until } = newLease();
    const change = (path: string) => `SET ${path}.#owner = :next, ${path}.#until = :until`;
    const isTaken = await update(project, id, lane, change, { ":next": owner, ":until": until });
    return isTaken ? { ...lane, owner, until } : null;
  };

  /** Opens a lane for a day. @returns null if another worker has claimed a day since the repricing was read. */
  const open = async (project: string, job: OpenRepricing, day: string): Promise<DayLane | null> => {
    const { id, lastDay, place, lanes } = job;
    const lane: DayLane = { ...newLease(), day, key: day === lastDay ? place : null, looked: 0 };
    const [path, value] = lanes === null ? ["lanes", { [laneName(day)]: lane }] : [`lanes.${laneName(day)}`, lane];
    const isOpen = await succeeds(
      aggregates.update(repricingKey(project, id), `SET #day = :day, #place = :none, ${path} = :lane`, {
        when: `#day = :last AND ${lanes === null ? "attribute_not_exists" : "attribute_exists"}(lanes)`,
        values: { ":day": day, ":none": null, ":lane": value, ":last": lastDay },
      }),
    );
    return isOpen ? lane : null;
  };

  /** Ends a repricing without days in work. @returns false if another worker has a day of it or has ended it. */
  const complete = (project: string, id: string): Promise<boolean> =>
    succeeds(
      aggregates.update(repricingKey(project, id), "SET done = :done", {
        when: "done = :none AND attribute_exists(pk) AND (attribute_not_exists(lanes) OR size(lanes) = :zero)",
        values: { ":done": instantAt(now()), ":none": null, ":zero": 0 },
      }),
    );

  return {
    /**
     * Leases a day of a repricing: first one whose worker died, then the next one that nobody had.
     *
     * @param days days with traces in the repricing's range, oldest first.
     * @returns the lease with the repricing, `busy` if other workers have the remaining days, `ended` if none remains.
     */
    claim: async (project: string, id: string, daysOf: (job: OpenRepricing) => Promise<readonly TraceDay[]>) => {
      for (;;) {
        const job = await jobs.find(project, id);
        if (job === null || job.status === "COMPLETED") return "ended";
        const { lastDay, place, lanes } = job;
        const abandoned = lanes?.find(({ until }) => until <= now());
        const isUnclaimed = (day: string) => lastDay === null || day > lastDay || (day === lastDay && place !== null);
        const days = await daysOf(job);
        const next = days.find(({ day }) => isUnclaimed(day))?.day;
        let lease: DayLane | null;
        if (abandoned !== undefined) lease = await takeOver(project, id, abandoned);
        else if (next !== undefined && (lanes?.length ?? 0) < maxLanes) lease = await open(project, job, next);
        else return next === undefined && (await complete(project, id)) ? "ended" : "busy";
        // A day that is not listed (any more) has no rows.
        if (lease !== null) return { job, lease, day: days.find(({ day }) => day === lease.day) };
      }
    },

    /** Stores progress and renews the lease. @returns the lease, or null if another worker has the day. */
    advance: async (project: string, id: string, lane: DayLane, step: RepricingStep): Promise<DayLane | null> => {
      const { key, looked, repriced, failed } = step;
      const next: DayLane = { ...lane, key, looked: lane.looked + looked, until: now() + dayLeaseMilliseconds };
      const change = (path: string) =>
        `SET ${path}.#key = :key, ${path}.looked = :total, ${path}.#until = :until ADD looked :looked, repriced :repriced, failed :failed`;
      const values = {
        ":key": key,
        ":total": next.looked,
        ":until": next.until,
        ":looked": looked,
        ":repriced": repriced,
        ":failed": failed,
      };
      return (await update(project, id, lane, change, values)) ? next : null;
    },

    /** Gives a day back before its end: another worker continues at its place. */
    release: (project: string, id: string, lane: DayLane): Promise<boolean> =>
      update(project, id, lane, (path) => `SET ${path}.#until = :until`, { ":until": 0 }),

    /** Closes the lane of a day whose last row was examined. */
    finish: (project: string, id: string, lane: DayLane): Promise<boolean> =>
      update(project, id, lane, (path) => `REMOVE ${path}`, {}),
  };
};
