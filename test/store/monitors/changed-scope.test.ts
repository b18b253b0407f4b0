import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { monitorFiring, type FiringDependencies } from "../../../lib/monitors/fire.ts";
import type { MatchingTarget } from "../../../lib/evaluation/start/matching-targets.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { firingPartsOn } from "../../faults/monitors/firing-parts.ts";
import { quietDatabase } from "../../support/database/quiet-database.ts";
import type { Call } from "../../support/faults/fault-kind.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { everyMinute, someMonitor } from "../../support/monitors.ts";

const start = Date.parse("2026-11-21T09:00:00Z");
const minute = 60_000;

const database = quietDatabase();

/** A monitor with scope `changed`, its matching targets, and the targets that each of its runs judges. */
const setUp = async () => {
  const clock = { at: start + minute };
  const now = (): number => clock.at;
  const matchingTargets: MatchingTarget[] = [];
  const runs = new Map<string, readonly string[]>();
  const partsOn = (connection: Database): FiringDependencies => {
    const parts = firingPartsOn(connection, async () => [...matchingTargets], { now });
    return {
      ...parts,
      start: async (run) => {
        const startedRun = await parts.start(run);
        const ids = run.targets.map(({ id }) => id);
        if (!runs.has(run.id)) runs.set(run.id, ids);
        return startedRun;
      },
    };
  };
  const parts = partsOn(database());
  const settings = { cadence: everyMinute, scope: "changed" } as const;
  const { monitor } = await parts.monitors.create(someMonitor(randomUUID(), settings, start));
  const { projectId: project, id, generation } = monitor;
  return {
    clock,
    project,
    id,
    addTarget: (name: string): void => void matchingTargets.push({ id: name, changedAt: now(), traces: 1 }),
    judgedTargets: () => [...runs.values()],
    trigger: (connection: Database, run: string) =>
      monitorFiring(partsOn(connection)).trigger({ project, id, runId: run, maxCostUsd: undefined }),
    fire: (connection: Database, instants: number) => {
      const scheduledAt = start + instants * minute;
      return monitorFiring(partsOn(connection)).fire({ project, monitor: id, generation, scheduledAt });
    },
  };
};

test("a target that arrives between a decision and the creation of its run by another worker is judged by the next run only", async () => {
  const { addTarget, clock, fire, judgedTargets } = await setUp();
  addTarget("before");
  const dying = faultyDatabase(database(), ({ operation, input }) =>
    operation === "PutItem" && input["TableName"] === "runs" ? "crash-before" : null,
  );

  await expect(fire(dying, 1)).rejects.toThrow("died");
  clock.at += 5_000;
  addTarget("between");
  clock.at += 195_000;
  await fire(database(), 1);
  clock.at += 1_000;
  await fire(database(), 2);
  clock.at += 1_000;
  await fire(database(), 3);

  expect(judgedTargets()).toEqual([["before"], ["between"], []]);
});

test("a target that arrives before the retry of a trigger whose first worker died is judged by the next run", async () => {
  const { addTarget, clock, fire, judgedTargets, trigger } = await setUp();
  const run = randomUUID();
  addTarget("before");
  const notes = ({ operation, input }: Call): boolean =>
    operation === "PutItem" && JSON.stringify(input["Item"]).includes('"scheduled"');
  const dying = faultyDatabase(database(), (call) => (notes(call) ? "crash-before" : null));

  await expect(trigger(dying, run)).rejects.toThrow("died");
  clock.at += 1_000;
  addTarget("between");
  await trigger(database(), run);
  clock.at += 1_000;
  await fire(database(), 1);

  expect(judgedTargets()).toEqual([["before"], ["before", "between"]]);
});
