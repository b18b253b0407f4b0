import { randomUUID } from "node:crypto";
import type { IdentifiedTrace } from "../../lib/domain/merge-trace.ts";
import { traceFilter } from "../../lib/domain/trace-filter.ts";
import type { Database } from "../../lib/store/database.ts";
import { traceList } from "../../lib/store/trace-list.ts";
import { traceReader } from "../../lib/store/trace-reader.ts";
import { traceStore } from "../../lib/store/traces.ts";
import { faultyDatabase } from "../support/faults.ts";
import { seeded, type Random } from "../support/random.ts";
import { seededFaults, type Tally } from "../support/seeded-faults.ts";
import { violations } from "./violations.ts";
import { storm } from "./weather.ts";

/** What came of a schedule of deliveries of traces. */
export interface IngestReport {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly tally: Tally;
  readonly acked: number;
  readonly refused: number;
}

const starts = ["2026-10-01T10:00:00+00:00", "2026-10-01T10:00:00.250000+00:00", "2026-10-02T10:00:00+00:00"] as const;

const updateOf = (random: Random, trace_id: string, mark: string, moves: boolean): IdentifiedTrace => ({
  trace_id,
  name: mark,
  started_at: moves ? random.pick(starts) : starts[0],
  tags: [mark],
  metadata: { [mark]: true },
  // Larger than a part now and then.
  input: random.chance(0.02) ? Array.from({ length: 15_000 }, () => randomUUID()).join("") : mark,
  spans: [{ span_id: mark, name: mark, started_at: starts[0] }],
});

/**
 * Several clients deliver updates of a few traces at once through functions that fail and die, and repeat what was not
 * acknowledged: what was must be there, whole, from then on.
 */
export const runIngest = async (database: Database, seed: number): Promise<IngestReport> => {
  const random = seeded(seed);
  const broken = violations();
  const tally: Tally = new Map();
  const { database: rates } = storm(random.fork("weather"));
  const project = randomUUID();
  const ids = Array.from({ length: random.between(1, 4) }, () => randomUUID());
  const moves = random.chance(0.5);
  const acked = new Map<string, Set<string>>(ids.map((id) => [id, new Set()]));
  const sent = new Map<string, Set<string>>(ids.map((id) => [id, new Set()]));
  let [processes, refused] = [0, 0];

  const deliver = async (update: IdentifiedTrace): Promise<boolean> => {
    processes += 1;
    const own = faultyDatabase(database, seededFaults(random.fork(`process ${processes}`), rates, tally));
    try {
      await traceStore(own, 0).save(project, update);
      return !own.crashed;
    } catch {
      return false;
    }
  };

  const look = async (id: string): Promise<void> => {
    const before = [...(acked.get(id) ?? [])];
    const found = (await traceReader(database).get(project, id))?.trace;
    const spans = new Set(found?.spans.map(({ span_id }) => span_id));
    broken.expect(
      before.every((mark) => spans.has(mark)),
      "I20: what was acknowledged is not there",
    );
    if (found === undefined) return;
    broken.expect(
      [...spans].every((mark) => sent.get(id)?.has(mark)),
      "I20: a span is there that nobody sent",
    );
    // Each update carries its mark in four places: half an update would have it in some of them.
    for (const marks of [new Set(found.tags), new Set(Object.keys(found.metadata))]) {
      broken.expect(marks.symmetricDifference(spans).size === 0, "I21: an update is there in part");
    }
    broken.expect(spans.has(found.name), "I20: a name is there that nobody sent");
  };

  const client = async (name: string): Promise<void> => {
    const own = random.fork(name);
    for (let count = own.between(2, 8); count > 0; count -= 1) {
      const id = own.pick([ids[0] ?? "", ...ids]);
      const update = updateOf(own, id, `${name}-${count}`, moves);
      sent.get(id)?.add(update.name);
      for (let attempt = own.between(1, 3); attempt > 0; attempt -= 1) {
        if (await deliver(update)) {
          acked.get(id)?.add(update.name);
          break;
        }
        refused += 1;
      }
      if (own.chance(0.3)) await look(id);
    }
  };

  await Promise.all(Array.from({ length: random.between(1, 5) }, (_, index) => client(`client-${index}`)));

  for (const id of ids) await look(id);
  const list = await traceList(database).matching(project, traceFilter({}));
  const { rows } = await traceList(database).page(project, 100, 0);
  const known = [...acked].filter(([, marks]) => marks.size > 0).map(([id]) => id);
  for (const listed of [list, rows.map(({ traceId }) => traceId)]) {
    broken.expect(new Set(listed).size === listed.length, "I20: a trace is listed twice");
    broken.expect(
      known.every((id) => listed.includes(id)),
      "I20: an acknowledged trace is not listed",
    );
    for (const id of listed) {
      broken.expect(
        (await traceReader(database).get(project, id)) !== null,
        "I21: a trace is listed that is not there",
      );
    }
  }
  const count = [...acked.values()].reduce((sum, marks) => sum + marks.size, 0);
  return { seed, violations: broken.found, tally, acked: count, refused };
};
