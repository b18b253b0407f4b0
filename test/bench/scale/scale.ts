/**
 * Measures each code path at a size and at ten times that: `npm run bench -- scale`, or separately
 *     node test/bench/scale/scale.ts [rows runs scores spans writers merging session projects sweeper hot-day busy-day] [--times 1,10]
 */
import { parseArgs } from "node:util";
import { benchBusyDay } from "./busy-writes.ts";
import { benchRuns, benchScores } from "./history.ts";
import { benchHotDay } from "./hot-day.ts";
import { benchMerging } from "./merging.ts";
import { benchProjects } from "./projects.ts";
import { benchRows } from "./rows.ts";
import { printHead } from "./scale-meter.ts";
import { benchSession } from "./session.ts";
import { benchSpans } from "./spans.ts";
import { benchSweeper } from "./sweeper.ts";
import { benchWriters } from "./writers.ts";

interface Subject {
  /** Size at multiple 1. */
  readonly size: number;
  readonly run: (size: number) => Promise<void>;
}

const subjects: Readonly<Record<string, Subject>> = {
  rows: { size: 1_000_000, run: benchRows },
  runs: { size: 10_000, run: benchRuns },
  scores: { size: 100_000, run: benchScores },
  // A trace has at most 10,000 spans.
  spans: { size: 950, run: benchSpans },
  writers: { size: 200, run: benchWriters },
  // Megabytes.
  merging: { size: 12, run: benchMerging },
  session: { size: 1_000, run: benchSession },
  projects: { size: 100, run: benchProjects },
  sweeper: { size: 100, run: benchSweeper },
  "hot-day": { size: 50_000, run: benchHotDay },
  // Commits a second.
  "busy-day": { size: 300, run: benchBusyDay },
};

/**
 * Measures each subject at each multiple of its size.
 * @param only names of the subjects to measure; empty for all.
 */
export const benchScale = async (multiples: readonly number[], only: readonly string[]): Promise<void> => {
  printHead();
  for (const [name, { size, run }] of Object.entries(subjects)) {
    if (only.length > 0 && !only.includes(name)) continue;
    for (const multiple of multiples) await run(size * multiple);
  }
};

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { times: { type: "string", default: "1,10" } },
  });
  await benchScale(values.times.split(",").map(Number), positionals);
}
