import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { instantAt } from "../../../lib/domain/instant.ts";
import { firingExecution } from "../../../lib/monitors/execute-firing.ts";
import { monitorFiring } from "../../../lib/monitors/fire.ts";
import { pauseMonitorsOfMetric } from "../../../lib/monitors/pause-without-metric.ts";
import { synchronise } from "../../../lib/monitors/synchronise.ts";
import { firingPartsOn } from "../../faults/monitors/firing-parts.ts";
import { quietDatabase } from "../../support/database/quiet-database.ts";
import { everyMinute, someMonitor } from "../../support/monitors.ts";

const start = Date.parse("2026-11-21T09:00:00Z");
const scheduledAt = start + 60_000;
const database = quietDatabase();

/** A monitor with three failed attempts at an instant, and the outcome that an earlier worker stored of it. */
const withOutcome = async (outcome: "FAILED" | "SKIPPED_UNCHANGED") => {
  const parts = firingPartsOn(database(), async () => [], { now: () => scheduledAt });
  const { monitor } = await parts.monitors.create(someMonitor(randomUUID(), { cadence: everyMinute }, start));
  const { projectId: project, id, generation } = monitor;
  const trial = { instant: scheduledAt, made: 3, by: "worker", until: start };
  const attempts = { trials: [trial], unproven: 3, last: start };
  await parts.monitors.change(project, id, (before) => ({ ...before, attempts }));
  const firing = { scheduledAt, decidedAt: instantAt(start), outcome, reason: "Why.", runId: null, watermark: null };
  await parts.firings.decide(project, id, firing);
  return { parts, monitor, firing, message: { project, monitor: id, generation, scheduledAt } };
};

test.each([
  ["FAILED", 3],
  ["SKIPPED_UNCHANGED", undefined],
] as const)(
  "an instant that an earlier worker decided as %s is recorded on its monitor as that",
  async (outcome, unproven) => {
    const { parts, monitor, message } = await withOutcome(outcome);
    await monitorFiring(parts).fire(message);

    const stored = await parts.monitors.get(monitor.projectId, monitor.id);
    expect(stored?.monitor.attempts?.unproven).toBe(unproven);
    expect(stored?.monitor.nextRunAt).toBe(scheduledAt + 60_000);
  },
);

test("an instant that another worker has skipped does not fail when it is given up", async () => {
  const { parts, monitor, firing, message } = await withOutcome("SKIPPED_UNCHANGED");
  await firingExecution(parts).giveUp(message, monitor, "Given up.");
  expect(await parts.firings.get(monitor.projectId, monitor.id, scheduledAt)).toEqual(firing);
});

test("the schedules of a monitor that is deleted while they are written are removed, and its place is freed once", async () => {
  const { parts, monitor } = await withOutcome("FAILED");
  const { projectId: project, id } = monitor;
  const calls: string[] = [];
  const schedules = {
    apply: async () => void calls.push(`apply ${await parts.monitors.delete(project, id)}`),
    remove: async (_: string, name: string) => void calls.push(`remove ${name === id}`),
    page: async () => ({ monitors: [], next: null }),
  };
  await synchronise({ monitor }, parts.monitors, schedules);
  expect([calls, await parts.monitors.delete(project, id)]).toEqual([["apply true", "remove true"], false]);
});

test("the active monitors of a deleted metric are paused, in any of its versions, and no others", async () => {
  const { monitors } = firingPartsOn(database(), async () => [], { now: () => start });
  const project = randomUUID();
  const names = [["custom/tone", "coherence"], ["custom/tone@2"], ["coherence"]];
  const ids: string[] = [];
  for (const metrics of names) ids.push((await monitors.create(someMonitor(project, { metrics }))).monitor.id);
  await pauseMonitorsOfMetric(monitors, project, "custom/tone", start);

  const statuses = await Promise.all(ids.map(async (id) => (await monitors.get(project, id))?.monitor.status));
  expect(statuses).toEqual(["PAUSED", "PAUSED", "ACTIVE"]);
});
