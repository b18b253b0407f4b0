import { parseArgs } from "node:util";
import { startDatabase } from "../support/database/database.ts";
import type { Tally } from "../support/faults/seeded-faults.ts";
import { tableStream } from "../support/database/table-stream.ts";
import { runAlerts } from "./alerts/schedule.ts";
import { campaign } from "./campaign.ts";
import { runFirings } from "./monitors/schedule.ts";
import { runSweeping } from "./monitors/sweeping.ts";
import { runIngest } from "./ingest/schedule.ts";
import { runBooks } from "./books/schedule.ts";
import { runProjects } from "./projects/schedule.ts";
import { runScores } from "./scores/schedule.ts";

const number = (fallback: string) => ({ type: "string", default: fallback }) as const;
const { values } = parseArgs({
  options: {
    schedules: number("2000"),
    ingest: number("500"),
    monitors: number("100"),
    sweeps: number("40"),
    projects: number("200"),
    books: number("50"),
    scores: number("100"),
    alerts: number("50"),
    seed: number("1"),
  },
});
const [schedules, ingests, seed] = [Number(values.schedules), Number(values.ingest), Number(values.seed)];
const [monitors, sweeps] = [Number(values.monitors), Number(values.sweeps)];
const [projects, books] = [Number(values.projects), Number(values.books)];
const [scores, alerts] = [Number(values.scores), Number(values.alerts)];

/** Scheduled instants per monitor. */
const instantsOfMonitor = 100;

const print = (line: string): void => void process.stdout.write(`${line}\n`);
// Workers log every delivery.
console.log = () => undefined;

const startedAt = performance.now();
const secondsPassed = (): number => Math.round((performance.now() - startedAt) / 1000);

/** The campaign that runs now, and its position, printed every half minute: a whole run takes hours. */
let [runningCampaign, finished, total] = ["", 0, 0];
const begin = (campaignName: string, count: number): void =>
  void ([runningCampaign, finished, total] = [campaignName, 0, count]);
const printProgress = (): void =>
  void process.stderr.write(`${runningCampaign}: ${finished} of ${total}, after ${secondsPassed()} s\n`);
setInterval(printProgress, 30_000).unref();

const database = await startDatabase({ streams: true });
const [rowStream, scoreStream] = [await tableStream(database, "rows"), await tableStream(database, "scores")];
/** Fields common to the results of all schedules. */
interface ScheduleResult {
  readonly seed: number;
  readonly violations: readonly string[];
  /** Injected faults; absent if the schedule adds to a shared tally. */
  readonly tally?: Tally;
}

/** Counts a finished schedule of the campaign that runs now, and prints its violations. */
const finishSchedule = (report: Pick<ScheduleResult, "seed" | "violations">): void => {
  finished += 1;
  for (const violation of report.violations) print(`${runningCampaign} seed ${report.seed}: ${violation}`);
};

begin("pipeline", schedules);
const { failed, tally, ...sums } = await campaign(database, seed, schedules, finishSchedule);
print(
  `${sums.schedules} schedules of the pipeline from seed ${seed}: ${sums.deliveries} deliveries, ` +
    `${sums.judgeCalls} judge calls, ${sums.scores} scores, ${failed.length} with violations`,
);
/** Runs schedules with rising seeds one after the other. @returns the number of schedules with violations. */
const eachSeed = async <Report extends ScheduleResult>(
  campaignName: string,
  count: number,
  run: (seed: number) => Promise<Report>,
  add: (report: Report) => void = () => undefined,
): Promise<number> => {
  let brokenSchedules = 0;
  begin(campaignName, count);
  for (let next = seed; next < seed + count; next += 1) {
    const report = await run(next);
    finishSchedule(report);
    add(report);
    brokenSchedules += report.violations.length > 0 ? 1 : 0;
    for (const [key, times] of report.tally ?? []) tally.set(key, (tally.get(key) ?? 0) + times);
  }
  return brokenSchedules;
};

let [acked, unacknowledged, deaths] = [0, 0, 0];
const brokenIngests = await eachSeed(
  "ingest",
  ingests,
  (next) => runIngest(database, rowStream, next),
  (report) => {
    acked += report.acked;
    deaths += report.deletedIncarnations;
    unacknowledged += report.unacknowledged;
  },
);
print(
  `${ingests} schedules of ingestion: ${acked} changes acknowledged, ${unacknowledged} attempts not, ${deaths} lives deleted, ` +
    `${brokenIngests} with violations`,
);
let [deliveries, skipped, brokenMonitors, nextMonitor] = [0, 0, 0, seed];
const fireLane = async (): Promise<void> => {
  while (nextMonitor < seed + monitors) {
    nextMonitor += 1;
    const report = await runFirings(database, nextMonitor - 1, instantsOfMonitor, tally);
    finishSchedule(report);
    deliveries += report.deliveries;
    skipped += report.skipped;
    brokenMonitors += report.violations.length > 0 ? 1 : 0;
  }
};
begin("monitors", monitors);
await Promise.all([fireLane(), fireLane(), fireLane(), fireLane()]);
print(
  `${monitors * instantsOfMonitor} instants of ${monitors} monitors: ${deliveries} deliveries, ${skipped} skipped, ` +
    `${brokenMonitors} monitors with violations`,
);
const brokenSweeps = await eachSeed("sweeps", sweeps, (next) => runSweeping(database, next, tally));
print(`${sweeps} schedules of sweeps: ${brokenSweeps} with violations`);
let [admitted, projectChanges] = [0, 0];
const brokenProjects = await eachSeed(
  "projects",
  projects,
  (next) => runProjects(database, next),
  (report) => {
    admitted += report.acked;
    projectChanges += report.changes;
  },
);
print(
  `${projects} schedules of projects that come and go from seed ${seed}: ${projectChanges} changes, ${admitted} requests ` +
    `acknowledged, ${brokenProjects} with violations`,
);
let [lateWorkers, died] = [0, 0];
const brokenBooks = await eachSeed(
  "books",
  books,
  (next) => runBooks(database, next),
  (report) => {
    lateWorkers += report.lateWorkers;
    died += report.died;
  },
);
print(
  `${books} schedules of projects that are deleted while they are judged from seed ${seed}: ${lateWorkers} workers alive, ${died} ` +
    `died, ${brokenBooks} with violations`,
);
const brokenScores = await eachSeed("scores", scores, (next) => runScores(database, scoreStream, next));
print(`${scores} schedules of scores from seed ${seed}: ${brokenScores} with violations`);
let transitions = 0;
const brokenAlerts = await eachSeed(
  "alerts",
  alerts,
  (next) => runAlerts(database, next),
  (report) => {
    transitions += report.transitions;
  },
);
print(`${alerts} schedules of alert rules from seed ${seed}: ${transitions} changes, ${brokenAlerts} with violations`);
await database.close();

const rows = [...tally].toSorted(([a], [b]) => (a < b ? -1 : 1));
for (const [key, count] of rows) print(`${String(count).padStart(8)}  ${key}`);
const faults = rows.reduce((sum, [, count]) => sum + count, 0);
print(`${faults} faults in ${secondsPassed()} s`);
const brokenCounts = [
  failed.length,
  brokenIngests,
  brokenMonitors,
  brokenSweeps,
  brokenProjects,
  brokenBooks,
  brokenScores,
  brokenAlerts,
];
process.exit(brokenCounts.every((count) => count === 0) ? 0 : 1);
