import { parseArgs } from "node:util";
import { startDatabase } from "../support/database/database.ts";
import type { Tally } from "../support/faults/seeded-faults.ts";
import { tableStream } from "../support/database/table-stream.ts";
import { campaign } from "./campaign.ts";
import { runFirings } from "./monitors/schedule.ts";
import { runSweeping } from "./monitors/sweeping.ts";
import { runIngest } from "./ingest/schedule.ts";
import { runBooks } from "./books/schedule.ts";
import { runProjects } from "./projects/schedule.ts";

const number = (fallback: string) => ({ type: "string", default: fallback }) as const;
const { values } = parseArgs({
  options: {
    schedules: number("2000"),
    ingest: number("500"),
    monitors: number("100"),
    sweeps: number("40"),
    projects: number("200"),
    books: number("50"),
    seed: number("1"),
  },
});
const [schedules, ingests, seed] = [Number(values.schedules), Number(values.ingest), Number(values.seed)];
const [monitors, sweeps] = [Number(values.monitors), Number(values.sweeps)];
const [projects, books] = [Number(values.projects), Number(values.books)];

/** Scheduled instants that each monitor lives through. */
const instantsOfMonitor = 100;

const print = (line: string): void => void process.stdout.write(`${line}\n`);
// The workers log every delivery.
console.log = () => undefined;

const begun = performance.now();
const database = await startDatabase({ streams: true });
const rowStream = await tableStream(database, "rows");
/** What schedules have in common. */
interface Done {
  readonly seed: number;
  readonly violations: readonly string[];
  /** Absent where the schedule was given the tally of all. */
  readonly tally?: Tally;
}

const tell = (what: string, done: Pick<Done, "seed" | "violations">): void => {
  for (const said of done.violations) print(`${what} seed ${done.seed}: ${said}`);
};

const { failed, tally, ...sums } = await campaign(
  database,
  seed,
  { most: schedules, until: Number.POSITIVE_INFINITY, fewest: 0 },
  (done) => tell("pipeline", done),
);
/** Runs so many schedules one after the other. @returns how many were broken. */
const eachSeed = async <Report extends Done>(
  what: string,
  count: number,
  run: (seed: number) => Promise<Report>,
  add: (done: Report) => void = () => undefined,
): Promise<number> => {
  let broken = 0;
  for (let next = seed; next < seed + count; next += 1) {
    const done = await run(next);
    tell(what, done);
    add(done);
    broken += done.violations.length > 0 ? 1 : 0;
    for (const [key, times] of done.tally ?? []) tally.set(key, (tally.get(key) ?? 0) + times);
  }
  return broken;
};

let [acked, refused, deaths] = [0, 0, 0];
const brokenIngests = await eachSeed(
  "ingest",
  ingests,
  (next) => runIngest(database, rowStream, next),
  (done) => {
    acked += done.acked;
    deaths += done.deaths;
    refused += done.refused;
  },
);
let [deliveries, skipped, brokenMonitors, nextMonitor] = [0, 0, 0, seed];
const fireLane = async (): Promise<void> => {
  while (nextMonitor < seed + monitors) {
    nextMonitor += 1;
    const done = await runFirings(database, nextMonitor - 1, instantsOfMonitor, tally);
    tell("monitor", done);
    deliveries += done.deliveries;
    skipped += done.skipped;
    brokenMonitors += done.violations.length > 0 ? 1 : 0;
  }
};
await Promise.all([fireLane(), fireLane(), fireLane(), fireLane()]);
const brokenSweeps = await eachSeed("sweeps", sweeps, (next) => runSweeping(database, next, tally));
let [admitted, projectChanges] = [0, 0];
const brokenProjects = await eachSeed(
  "projects",
  projects,
  (next) => runProjects(database, next),
  (done) => {
    admitted += done.acked;
    projectChanges += done.changes;
  },
);
let [late, died] = [0, 0];
const brokenBooks = await eachSeed(
  "books",
  books,
  (next) => runBooks(database, next),
  (done) => {
    late += done.late;
    died += done.died;
  },
);
await database.close();

const rows = [...tally].toSorted(([a], [b]) => (a < b ? -1 : 1));
for (const [key, count] of rows) print(`${String(count).padStart(8)}  ${key}`);
const faults = rows.reduce((sum, [, count]) => sum + count, 0);
print(
  [
    `${sums.schedules} schedules of the pipeline from seed ${seed}: ${sums.deliveries} deliveries, `,
    `${sums.judgeCalls} judge calls, ${sums.scores} scores, ${failed.length} with violations\n`,
    `${ingests} schedules of ingestion: ${acked} changes acknowledged, ${refused} attempts not, ${deaths} lives deleted, `,
    `${brokenIngests} with violations\n`,
    `${monitors * instantsOfMonitor} instants of ${monitors} monitors: ${deliveries} deliveries, ${skipped} skipped, `,
    `${brokenMonitors} monitors with violations\n`,
    `${sweeps} schedules of sweeps: ${brokenSweeps} with violations\n`,
    `${projects} schedules of projects that come and go from seed ${seed}: ${projectChanges} changes, ${admitted} requests `,
    `acknowledged, ${brokenProjects} with violations\n`,
    `${books} schedules of projects that are deleted while they are judged from seed ${seed}: ${late} workers alive, ${died} `,
    `died, ${brokenBooks} with violations\n`,
    `${faults} faults in ${Math.round((performance.now() - begun) / 1000)} s`,
  ].join(""),
);
const broken = [failed.length, brokenIngests, brokenMonitors, brokenSweeps, brokenProjects, brokenBooks];
process.exit(broken.every((count) => count === 0) ? 0 : 1);
