import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { deletionEraser } from "../../../lib/deletion/erase-deleted.ts";
import { storageScan } from "../../../lib/deletion/scan-storage.ts";
import { proofMilliseconds } from "../../../lib/domain/access/deletion.ts";
import { microsUp } from "../../../lib/domain/runs/budget.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { chargedOf } from "../../../lib/domain/runs/run.ts";
import { accessStore } from "../../../lib/store/access/project-lookup.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { deletionRequests } from "../../../lib/store/deletion/requests.ts";
import { deletionStore } from "../../../lib/store/deletion/deletions.ts";
import { runsCost } from "../../../lib/store/runs/month-cost.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { budgetName } from "../../../lib/store/spend/items.ts";
import { monthSpend } from "../../../lib/store/spend/month-spend.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { seededFaults, type Tally } from "../../support/faults/seeded-faults.ts";
import { pausePoint } from "../../support/service/pause-point.ts";
import { itemsNaming } from "../../support/database/items-naming.ts";
import { seeded } from "../../support/random.ts";
import { violations } from "../violations.ts";
import { storm } from "../weather.ts";
import { judgedProject, slicesOf, type JudgedProject } from "./judged-projects.ts";
import { monthLedger } from "../../support/runs/month-ledger.ts";
import { paidWorker, type PaidWorker } from "../../support/runs/paid-worker.ts";

/** Result of a schedule of projects that are deleted while they are judged. */
export interface BooksReport {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly tally: Tally;
  /** Workers that were alive when the deletion of their project began, and workers that crashed. */
  readonly lateWorkers: number;
  readonly died: number;
  /** Spent micro-dollars. */
  readonly spent: number;
}

const budget = 60_000;
/** Milliseconds, longer than a judgement waits for its commit. */
const commitMilliseconds = 850;
const maxPasses = 40;
const schedules = { remove: async (): Promise<void> => {} };

/** The middle of a month that no other schedule uses, epoch milliseconds. */
const middleOf = (seed: number): number => Date.UTC(2030 + (Math.floor(seed / 12) % 5_000), seed % 12, 15, 12);

/**
 * Deletes ten projects, one by one or with their organization, while workers judge them; some workers crash, some
 * finish minutes later. At the end the deployment's month must contain exactly what the judge billed, and for workers that
 * crashed or came late not less than that and not more than they had reserved; every ledger entry must add up, and no item may be
 * left. The month's total of an organization must contain what was committed, also of its deleted projects, and no more than was
 * billed; that of the remaining project exactly what its slices cost.
 */
export const runBooks = async (database: Database, seed: number): Promise<BooksReport> => {
  const random = seeded(seed);
  const invariants = violations();
  const tally: Tally = new Map();
  const rates = storm(random.fork("weather")).database;
  let [instant, processes, died] = [middleOf(seed), 0, 0];
  const now = (): number => instant;
  const deployment = budgetName("deployment", {}, instant);

  const tenant = async () => {
    const [owner, access] = [randomUUID(), accessStore(database, 1_000, now)];
    const id = await access.createOrganization("Acme");
    await access.addMember(id, owner, "OWNER");
    return { id, owner };
  };
  const tenants = [await tenant(), await tenant()] as const;
  const projects: JudgedProject[] = [];
  for (let index = 0; index < 11; index += 1) {
    const { id, owner } = index < 8 ? tenants[0] : tenants[1];
    projects.push(await judgedProject(database, id, owner, random.fork(`project ${index}`), instant));
  }
  // The first project stays; the others of its organization are deleted one by one.
  const [remainingProject, ...deletedProjects] = projects;
  const runs = projects.flatMap((each) => each.runs);

  /** Starts a worker that may be paused before its reservation and may crash after it. */
  const startWorker = (order: (typeof runs)[number]["order"], slice: string, index: number): PaidWorker => {
    const chance = random.fork(`worker ${index}`);
    const stop = chance.chance(0.3) ? pausePoint() : null;
    const diesThere = chance.chance(0.5);
    const connection = faultyDatabase(database, async ({ operation }) => {
      if (operation !== "TransactWriteItems" || stop === null) return null;
      await stop.pass();
      return diesThere ? "crash-after" : null;
    });
    const worker = paidWorker(connection, order, slice, chance.between(1, 6), now);
    return {
      ...worker,
      busy: stop === null ? worker.busy : Promise.race([worker.busy, stop.reached]),
      goOn: () => {
        stop?.open();
        worker.goOn();
      },
    };
  };
  const workers = runs
    .flatMap(({ order, slices }) => slices.map((slice) => ({ order, slice })))
    .filter(() => random.chance(0.85))
    .map(({ order, slice }, index) => startWorker(order, slice, index));
  await Promise.all(workers.map(({ busy }) => busy));
  await wait(commitMilliseconds);

  /** Workers that are still running. */
  const alive = new Set(workers);
  const resumeWorkers = async (share: number): Promise<void> => {
    const resumedWorkers = [...alive].filter(() => random.chance(share));
    for (const worker of resumedWorkers) {
      alive.delete(worker);
      if (random.chance(0.3)) {
        died += 1;
        worker.database.crash();
      }
      worker.goOn();
    }
    await Promise.all(resumedWorkers.map(({ end }) => end));
  };

  const sweep = async (faults: boolean): Promise<void> => {
    processes += 1;
    const faultsOfSweep = faults ? seededFaults(random.fork(`sweeper ${processes}`), rates, tally) : () => null;
    const connection = faultyDatabase(database, faultsOfSweep);
    try {
      await storageScan(connection, now)(budget);
      await deletionEraser(connection, schedules, now)(budget);
    } catch (error) {
      invariants.expect(faults, `A sweep failed: ${String(error)}`);
    }
  };

  await resumeWorkers(0.15);
  const lateWorkers = new Set(alive);
  for (const { project, owner } of deletedProjects.slice(0, 7)) {
    await deletionRequests(database, now).ofProject(project, owner);
    if (random.chance(0.3)) await resumeWorkers(0.1);
    if (random.chance(0.3)) await sweep(true);
  }
  const [, secondTenant] = tenants;
  await deletionRequests(database, now).ofOrganization(
    { id: secondTenant.id, name: "Acme", createdAt: "" },
    secondTenant.owner,
  );
  for (let minute = 0; minute < 3; minute += 1) {
    await sweep(true);
    instant += 50_000;
    await resumeWorkers(minute === 2 ? 1 : 0.3);
  }

  const ids = deletedProjects.map(({ project }) => project.id);
  const isProved = async (): Promise<boolean> =>
    (await deletionStore(database, now).open()).every(({ id }) => id !== secondTenant.id && !ids.includes(id));
  let passes = 0;
  for (; passes < maxPasses && !(await isProved()); passes += 1) {
    instant += random.pick([60_000, 240_000, proofMilliseconds]);
    await sweep(passes < 3);
  }

  invariants.expect(await isProved(), "a deletion is not proved");
  const remainingItems = (await itemsNaming(database, ids)).filter(({ table }) => table !== "access");
  invariants.expect(remainingItems.length === 0, "something of a deleted project is left");
  const books = await monthLedger(database, deployment);
  invariants.expect(books.wrong.length === 0, "the books of the deployment's month do not add up to its shards");
  // Judging continues in the remaining project: its worker may have crashed with a reservation.
  const bookedCost = books.used - books.open;
  const pastWorkers = workers.filter(({ project }) => project !== remainingProject?.project.id);
  const sum = (amounts: readonly number[]): number => amounts.reduce((total, each) => total + microsUp(each), 0);
  const billed = sum(pastWorkers.map((worker) => worker.billed()));
  // A worker that crashed, or whose ledger entry was closed before it ended, may be billed for all that it had reserved.
  const most = sum(
    pastWorkers.map((worker) =>
      worker.database.crashed || lateWorkers.has(worker)
        ? Math.max(worker.billed(), worker.requested())
        : worker.billed(),
    ),
  );
  invariants.expect(
    billed <= bookedCost && bookedCost <= most,
    `of deleted projects ${bookedCost} is booked, ${billed} was billed, and ${most} is the most that workers reserved`,
  );

  const month = monthSpend(database, { project: null, organization: null, deployment: null }, now);
  const organization = tenants[0].id;
  const { settled } = await month({ project: remainingProject?.project.id ?? "", organization });
  const { uncounted } = await runsCost(database, runStore(database))(
    remainingProject?.project.id ?? "",
    instantAt(middleOf(seed)),
  );
  const ofOrganization = workers.filter(({ project }) =>
    projects.some((each) => each.project.id === project && each.project.organizationId === organization),
  );
  const committed = sum(ofOrganization.map((worker) => worker.committed()));
  const total = settled.organization + uncounted;
  invariants.expect(
    committed <= total && total <= sum(ofOrganization.map((worker) => worker.billed())),
    `the organization's month has ${total}, of which ${uncounted} are in work, and ${committed} were committed`,
  );
  let costOfRemaining = 0;
  for (const { order } of remainingProject?.runs ?? [])
    for await (const { slice } of slicesOf(database, order)) costOfRemaining += microsUp(chargedOf(slice.usage));
  invariants.expect(
    settled.project + uncounted === costOfRemaining,
    `the project's month has ${settled.project} and ${uncounted} in work, and its slices cost ${costOfRemaining}`,
  );
  return { seed, violations: invariants.messages, tally, lateWorkers: lateWorkers.size, died, spent: billed };
};
