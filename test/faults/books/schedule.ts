import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { erasing } from "../../../lib/deletion/erase-deleted.ts";
import { storageScanning } from "../../../lib/deletion/scan-storage.ts";
import { proofMilliseconds } from "../../../lib/domain/access/deletion.ts";
import { accessStore } from "../../../lib/store/access/projects-of-callers.ts";
import type { Database } from "../../../lib/store/database.ts";
import { deletionRequests } from "../../../lib/store/deletion/requests.ts";
import { deletionStore } from "../../../lib/store/deletion/deletions.ts";
import { budgetName } from "../../../lib/store/spend/items.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { seededFaults, type Tally } from "../../support/faults/seeded-faults.ts";
import { gate } from "../../support/service/gate.ts";
import { itemsNaming } from "../../support/database/items-naming.ts";
import { seeded } from "../../support/random.ts";
import { violations } from "../violations.ts";
import { storm } from "../weather.ts";
import { costLedger, judgedProject, type JudgedProject } from "./judged-projects.ts";
import { monthBooks } from "../../support/runs/month-books.ts";
import { paidWorker, type PaidWorker } from "./paid-worker.ts";

/** What came of a schedule of projects that are deleted while they are judged. */
export interface BooksReport {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly tally: Tally;
  /** Workers that were alive when the project that they judged was deleted, and those that died at it. */
  readonly late: number;
  readonly died: number;
  /** Micro-dollars that were spent. */
  readonly spent: number;
}

const budget = 60_000;
/** Longer than what is judged waits for its commit. */
const commitMilliseconds = 850;
const mostLooks = 40;
const schedules = { remove: async (): Promise<void> => {} };

/** The middle of a month that no other schedule has. */
const middleOf = (seed: number): number => Date.UTC(2030 + (Math.floor(seed / 12) % 5_000), seed % 12, 15, 12);

/**
 * Ten projects are deleted, one by one or with their organizations, while workers judge them; some of those die, some end
 * minutes later. In the end the deployment's month has exactly what was committed, every book adds up, and nothing is left.
 */
export const runBooks = async (database: Database, seed: number): Promise<BooksReport> => {
  const random = seeded(seed);
  const broken = violations();
  const tally: Tally = new Map();
  const rates = storm(random.fork("weather")).database;
  let [instant, processes, died] = [middleOf(seed), 0, 0];
  const now = (): number => instant;
  const month = budgetName("deployment", {}, instant);
  const ledger = costLedger(database);

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
  // The first one stays, and the others of its organization are deleted one by one.
  const [kept, ...doomed] = projects;
  const runs = projects.flatMap((each) => each.runs);

  /** A worker, which may be stopped before it has reserved what it is going to spend, and may die when it has. */
  const begin = (order: (typeof runs)[number]["order"], slice: string, index: number): PaidWorker => {
    const own = random.fork(`worker ${index}`);
    const stop = own.chance(0.3) ? gate() : null;
    const diesThere = own.chance(0.5);
    const connection = faultyDatabase(database, async ({ operation }) => {
      if (operation !== "TransactWriteItems" || stop === null) return null;
      await stop.pass();
      return diesThere ? "crash-after" : null;
    });
    const worker = paidWorker(connection, order, slice, own.between(1, 6), now);
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
    .map(({ order, slice }, index) => begin(order, slice, index));
  await Promise.all(workers.map(({ busy }) => busy));
  await wait(commitMilliseconds);

  /** Lets some workers go on, or die, and waits until they have ended. */
  const alive = new Set(workers);
  const letGo = async (share: number): Promise<void> => {
    const some = [...alive].filter(() => random.chance(share));
    for (const worker of some) {
      alive.delete(worker);
      if (random.chance(0.3)) {
        died += 1;
        worker.database.crash();
      }
      worker.goOn();
    }
    await Promise.all(some.map(({ ended }) => ended));
    await ledger.look(runs);
  };

  const sweep = async (faults: boolean): Promise<void> => {
    processes += 1;
    const own = faults ? seededFaults(random.fork(`sweeper ${processes}`), rates, tally) : () => null;
    const connection = faultyDatabase(database, own);
    try {
      await storageScanning(connection, now)(budget);
      await erasing(connection, schedules, now)(budget);
    } catch (error) {
      broken.expect(faults, `A sweep failed: ${String(error)}`);
    }
  };

  await letGo(0.15);
  const late = alive.size;
  for (const { project, owner } of doomed.slice(0, 7)) {
    await deletionRequests(database, now).ofProject(project, owner);
    if (random.chance(0.3)) await letGo(0.1);
    if (random.chance(0.3)) await sweep(true);
  }
  const [, other] = tenants;
  await deletionRequests(database, now).ofOrganization({ id: other.id, name: "Acme", createdAt: "" }, other.owner);
  for (let minute = 0; minute < 3; minute += 1) {
    await sweep(true);
    instant += 50_000;
    await letGo(minute === 2 ? 1 : 0.3);
  }

  const ids = doomed.map(({ project }) => project.id);
  const isProved = async (): Promise<boolean> =>
    (await deletionStore(database, now).open()).every(({ id }) => id !== other.id && !ids.includes(id));
  let looks = 0;
  for (; looks < mostLooks && !(await isProved()); looks += 1) {
    instant += random.pick([60_000, 240_000, proofMilliseconds]);
    await sweep(looks < 3);
    await ledger.look(runs);
  }

  broken.expect(await isProved(), "a deletion is not proved");
  const left = (await itemsNaming(database, ids)).filter(({ table }) => table !== "access");
  broken.expect(left.length === 0, "something of a deleted project is left");
  const books = await monthBooks(database, month);
  broken.expect(books.wrong.length === 0, "the books of the deployment's month do not add up to its shards");
  // What is judged goes on in the project that stays: its worker may have died with what it holds.
  const spentByOthers = books.used - books.open;
  const others = costLedger(database);
  await others.look(kept?.runs ?? []);
  broken.expect(
    spentByOthers === ledger.total() - others.total(),
    `of deleted projects ${spentByOthers} is booked, and ${ledger.total() - others.total()} was spent`,
  );
  return { seed, violations: broken.found, tally, late, died, spent: ledger.total() };
};
