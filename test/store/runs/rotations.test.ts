import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { instantAt } from "../../../lib/domain/instant.ts";
import { batchWrite } from "../../../lib/dynamo/batches.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { fairShareTurns } from "../../../lib/evaluation/slices/fair-share-turns.ts";
import { rotationStore } from "../../../lib/store/runs/rotations.ts";
import { placeKeys, rotationOf } from "../../../lib/store/runs/keys.ts";
import { countCapacity } from "../../bench/capacity.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { inTurn } from "../../support/in-turn.ts";
import { storedRun, type StoredFixture } from "./run-fixture.ts";

let database: TestDatabase;
let takeCapacity: ReturnType<typeof countCapacity>;
/** The run that a worker reads in place of each open run. */
let run: StoredFixture;
beforeAll(async () => {
  database = await startDatabase();
  takeCapacity = countCapacity(database);
  run = await storedRun(database, 1, ["one"]);
});
afterAll(() => database.close());

const start = Date.parse("2026-11-22T09:00:00Z");

const times = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

interface OpenOrganization {
  readonly organization: string;
  readonly projects: readonly string[];
}

const someOrganization = (projects: number): OpenOrganization => ({
  organization: randomUUID(),
  projects: times(projects).map(() => randomUUID()),
});

/** Places of organizations whose projects have open runs, each due a second after the place before it. */
const placesOf = (rotation: string, organizations: readonly OpenOrganization[], runsOfProject: number) => {
  const put = (key: { readonly pk: string; readonly sk: string }, due_key: string, second: number) => ({
    PutRequest: { Item: { ...key, kind: "turn", due_key, due_at: instantAt(start + 1_000 * second), entries: 1 } },
  });
  return organizations.flatMap(({ organization, projects }, number) => [
    put(placeKeys.organization(organization), rotation, number),
    ...projects.flatMap((project, second) => [
      put(placeKeys.project(organization, project), rotationOf(organization), second),
      ...times(runsOfProject).map((each) => put(placeKeys.run(project, randomUUID()), rotationOf(project), each)),
    ]),
  ]);
};

/** A worker that receives a message of one project again and again, one a second, with these organizations waiting. */
const setUp = async (organizations: readonly OpenOrganization[], runsOfProject = 1) => {
  const clock = { at: start + 10_000_000 };
  const rotation = randomUUID();
  const now = (): number => clock.at;
  const ownerOf = new Map(
    organizations.flatMap(({ organization, projects }) => projects.map((project) => [project, organization])),
  );
  const organizationOf = async (project: string) => ownerOf.get(project) ?? null;
  const turnsOf = (connection: Database) => rotationStore(connection, organizationOf, { now, rotation });
  const turns = turnsOf(database);
  await batchWrite(database, "runs", placesOf(rotation, organizations, runsOfProject));
  /** Ends of the leases of projects' slices, epoch milliseconds, and projects whose slices were read. */
  const [leases, searched] = [new Map<string, number>(), new Array<string>()];
  const runs = {
    read: () => run.runs.read(run.order.projectId, run.order.id),
    slices: async (project: string, _run: string, attempt: string) => {
      searched.push(project);
      const slices = await run.runs.slices(run.order.projectId, run.order.id, attempt);
      return slices.map((slice) => Object.assign(slice, { until: leases.get(project) ?? 0 }));
    },
  };
  const runInTurn = fairShareTurns({ turns, runs, now });
  const received = { project: organizations[0]?.projects[0] ?? "", run: "received", slice: "0" };
  /** Projects that the worker works for. */
  const serve = (count: number): Promise<readonly string[]> =>
    inTurn(times(count), async () => {
      clock.at += 1_000;
      return await runInTurn(received, async ({ message }) => message.project);
    });
  return { clock, ownerOf, leases, searched, turns, turnsOf, serve };
};

test("of 1,000 organizations, one with 50 projects and 600 open runs has one turn, and a turn costs seven requests", async () => {
  const count = 50;
  const crowd = someOrganization(50);
  const others = times(count).map(() => someOrganization(1));
  // The turns of the rest do not come.
  const rest = times(949).map(() => someOrganization(0));
  const { ownerOf, serve } = await setUp([crowd, ...others, ...rest], 12);
  takeCapacity();

  const served = await serve(count);
  const { calls, read, write } = takeCapacity();

  expect(served.map((project) => ownerOf.get(project))).toEqual(
    [crowd, ...others].slice(0, count).map(({ organization }) => organization),
  );
  expect({ calls: Math.ceil(calls / count), read: Math.ceil(read / count), write: Math.ceil(write / count) }).toEqual({
    calls: 7,
    read: 4,
    write: 6,
  });
});

test("two organizations take turns, whatever number of projects they have, and so do the projects of one", async () => {
  const [crowd, small] = [someOrganization(50), someOrganization(1)];
  const { ownerOf, serve } = await setUp([crowd, small]);

  const served = await serve(20);

  expect(served.map((project) => ownerOf.get(project))).toEqual(
    times(10).flatMap(() => [crowd.organization, small.organization]),
  );
  expect(served.filter((project) => project !== small.projects[0])).toEqual(crowd.projects.slice(0, 10));
});

test("a new organization is served with the next one; one that has just had its turn is not, even if all its runs ended meanwhile", async () => {
  const [first, ...others] = times(40).map(() => someOrganization(1));
  const { clock, ownerOf, turns, serve } = await setUp([first ?? someOrganization(1), ...others]);
  const [organization, project] = [randomUUID(), randomUUID()];
  ownerOf.set(project, organization);
  await serve(3);

  await turns.enter(project, "1");
  const next = await serve(2);
  await turns.leave(project, "1");
  clock.at += 500;
  await turns.enter(project, "2");
  const later = await serve(10);

  expect(next).toContain(project);
  expect(later).not.toContain(project);
});

test("a run that enters while the last other one leaves keeps the places of its project and organization", async () => {
  const { ownerOf, turns, turnsOf } = await setUp([]);
  const [organization, project] = [randomUUID(), randomUUID()];
  ownerOf.set(project, organization);
  await turns.enter(project, "old");
  let deletions = 0;
  const entering = faultyDatabase(database, async ({ operation }) => {
    // The first deletion is that of the run's place, the second that of its project's.
    if (operation === "DeleteItem" && ++deletions === 2) await turns.enter(project, "new");
    return null;
  });

  await turnsOf(entering).leave(project, "old");
  const during = await turns.projects(organization);
  await turns.leave(project, "new");

  expect(deletions).toBe(2);
  expect(during.map(({ id }) => id)).toEqual([project]);
  expect([await turns.organizations(), await turns.projects(organization), await turns.runs(project)]).toEqual([
    [],
    [],
    [],
  ]);
});

test("a project without a free slice is not searched again before it may have one", async () => {
  const [busy, other] = [someOrganization(1), someOrganization(1)];
  const { clock, leases, searched, serve } = await setUp([other, busy]);
  const [project = ""] = busy.projects;
  leases.set(project, clock.at + 30_000);

  const before = await serve(20);
  const searchedBefore = searched.filter((id) => id === project).length;
  clock.at += 15_000;
  const after = await serve(4);

  expect([new Set(before), searchedBefore]).toEqual([new Set(other.projects), 1]);
  expect(after.filter((id) => id === project)).toHaveLength(2);
});
