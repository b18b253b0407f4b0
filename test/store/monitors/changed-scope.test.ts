import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { monitorFiring, type FiringParts } from "../../../lib/monitors/fire.ts";
import type { MatchingTarget } from "../../../lib/evaluation/start/matching-targets.ts";
import type { Database } from "../../../lib/store/database.ts";
import { firingPartsOn } from "../../faults/monitors/firing-parts.ts";
import { quietDatabase } from "../../support/database/quiet-database.ts";
import type { Call } from "../../support/faults/fault-kind.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { everyMinute, someMonitor } from "../../support/monitors.ts";

const start = Date.parse("2026-11-21T09:00:00Z");
const minute = 60_000;

const database = quietDatabase();

/** A monitor of what has changed, and what its runs judge. */
const world = async () => {
  const clock = { at: start + minute };
  const now = (): number => clock.at;
  const there: MatchingTarget[] = [];
  const runs = new Map<string, readonly string[]>();
  const partsOn = (own: Database): FiringParts => {
    const parts = firingPartsOn(own, async () => [...there], { now });
    return {
      ...parts,
      start: async (run) => {
        const made = await parts.start(run);
        const ids = run.targets.map(({ id }) => id);
        if (!runs.has(run.id)) runs.set(run.id, ids);
        return made;
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
    arrive: (name: string): void => void there.push({ id: name, changedAt: now(), traces: 1 }),
    judged: () => [...runs.values()],
    trigger: (own: Database, run: string) => monitorFiring(partsOn(own)).trigger(project, id, run),
    fire: (own: Database, instants: number) => {
      const scheduledAt = start + instants * minute;
      return monitorFiring(partsOn(own)).fire({ project, monitor: id, generation, scheduledAt });
    },
  };
};

test("what arrives between a decision and the run that another worker makes of it is judged by the next run alone", async () => {
  const { arrive, clock, fire, judged } = await world();
  arrive("before");
  const dying = faultyDatabase(database(), ({ operation, input }) =>
    operation === "PutItem" && input["TableName"] === "runs" ? "crash-before" : null,
  );

  await expect(fire(dying, 1)).rejects.toThrow("died");
  clock.at += 5_000;
  arrive("between");
  clock.at += 195_000;
  await fire(database(), 1);
  clock.at += 1_000;
  await fire(database(), 2);
  clock.at += 1_000;
  await fire(database(), 3);

  expect(judged()).toEqual([["before"], ["between"], []]);
});

test("what arrives before a trigger is repeated, of which the first worker died, is judged by the next run", async () => {
  const { arrive, clock, fire, judged, trigger } = await world();
  const run = randomUUID();
  arrive("before");
  const notes = ({ operation, input }: Call): boolean =>
    operation === "PutItem" && JSON.stringify(input["Item"]).includes('"scheduled"');
  const dying = faultyDatabase(database(), (call) => (notes(call) ? "crash-before" : null));

  await expect(trigger(dying, run)).rejects.toThrow("died");
  clock.at += 1_000;
  arrive("between");
  await trigger(database(), run);
  clock.at += 1_000;
  await fire(database(), 1);

  expect(judged()).toEqual([["before"], ["before", "between"]]);
});
