import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { namesIn } from "../../../lib/domain/traces/facts.ts";
import type { IdentifiedTrace } from "../../../lib/domain/traces/input.ts";
import { traceFilter } from "../../../lib/domain/traces/filter.ts";
import { rowFactsOf } from "../../../lib/domain/traces/row.ts";
import type { Database } from "../../../lib/store/database.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { sessionRemoval } from "../../../lib/store/sessions/removal.ts";
import { traceDays } from "../../../lib/store/traces/days.ts";
import { traceMerging, unpaced } from "../../../lib/store/traces/merging.ts";
import { projectNames } from "../../../lib/store/traces/facts/names.ts";
import { traceList } from "../../../lib/store/traces/lists/list.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceRemoval } from "../../../lib/store/traces/removal.ts";
import { traceWriter } from "../../../lib/store/traces/writer.ts";
import { traceTags } from "../../../lib/store/traces/tags.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { type FaultyDatabase, faultyDatabase } from "../../support/faults/faults.ts";
import { seeded, type Random } from "../../support/random.ts";
import { slowRequests } from "../../support/faults/slow-requests.ts";
import { seededFaults, type Tally } from "../../support/faults/seeded-faults.ts";
import { someScore } from "../../support/scores.ts";
import type { TableStream } from "../../support/database/table-stream.ts";
import { purgeDrain } from "../aggregates/purge-drain.ts";
import { traceLedger, type TraceLedger } from "./trace-ledger.ts";
import { rowFaults } from "./row-faults.ts";
import { violations } from "../violations.ts";
import { storm } from "../weather.ts";

/** What came of a schedule of what clients ask of traces. */
export interface IngestReport {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly tally: Tally;
  readonly acked: number;
  readonly refused: number;
  /** Lives of traces that were deleted. */
  readonly deaths: number;
}

const starts = ["2026-10-01T10:00:00+00:00", "2026-10-01T10:00:00.250000+00:00", "2026-10-02T10:00:00+00:00"] as const;
const session = "session";

const spanOf = (mark: string) => ({
  span_id: mark,
  name: mark,
  kind: "TOOL" as const,
  model: mark.slice(0, 4),
  started_at: starts[0],
});

/** What the project has declared. */
const keys = ["kept"] as const;

/** What a client may ask of a trace, and how often; every schedule leaves some of them out. */
const wishes = { send: 6, append: 3, patch: 2, tag: 2, merge: 2, score: 1, remove: 2, "remove-session": 0.5 } as const;
type Wish = keyof typeof wishes;

/** The wishes in which a mark is put into the trace. */
const marking: ReadonlySet<Wish> = new Set(["send", "append", "patch", "tag"]);

const wishesOf = (random: Random): readonly [Wish, ...Wish[]] => {
  const kept = Object.entries(wishes).filter(([wish]) => wish === "send" || random.chance(0.6)) as [Wish, number][];
  return ["send", ...kept.flatMap(([wish, weight]) => Array.from({ length: weight * 2 }, () => wish))];
};

const updateOf = (random: Random, trace_id: string, mark: string, moves: boolean): IdentifiedTrace => ({
  trace_id,
  name: mark,
  started_at: moves ? random.pick(starts) : starts[0],
  session_id: session,
  tags: [mark],
  metadata: { [mark]: true, kept: "value" },
  // Larger than a part now and then.
  input: random.chance(0.02) ? Array.from({ length: 25_000 }, () => randomUUID()).join("") : mark,
  spans: [spanOf(mark)],
});

/**
 * Several clients send, change and delete a few traces at once through functions that fail and die, and repeat what was
 * not acknowledged, while the purge works behind them and dies too: what was acknowledged must be there, whole, until it
 * is deleted, and nothing of what was deleted may stay.
 */
export const runIngest = async (database: Database, stream: TableStream, seed: number): Promise<IngestReport> => {
  const random = seeded(seed);
  const broken = violations();
  const tally: Tally = new Map();
  const { database: rates, slow } = storm(random.fork("weather"));
  const project = randomUUID();
  const ids = Array.from({ length: random.between(1, 4) }, () => randomUUID());
  const moves = random.chance(0.5);
  const asked = wishesOf(random.fork("wishes"));
  const ledgers = new Map<string, TraceLedger>(ids.map((id) => [id, traceLedger()]));
  const scores: string[] = [];
  // No two instants are the same: which came first is never in doubt.
  let [processes, refused, instant] = [0, 0, Date.parse("2026-10-05T00:00:00Z")];
  const now = (): number => {
    instant += 1;
    return instant;
  };
  const drain = purgeDrain(database, stream, project, now);

  const started: FaultyDatabase[] = [];
  const newProcess = (): FaultyDatabase => {
    processes += 1;
    const chance = random.fork(`process ${processes}`);
    const own = faultyDatabase(
      database,
      slowRequests(chance.fork("slow"), () => slow, seededFaults(chance, rates, tally)),
    );
    started.push(own);
    return own;
  };

  const works: Readonly<
    Record<Wish, (own: Database, id: string, mark: string, update: IdentifiedTrace) => Promise<unknown>>
  > = {
    send: async (own, _id, _mark, update) => {
      await traceStore(own, 0, now).save(project, update, "trace", keys);
      return true;
    },
    append: (own, id, mark) => traceStore(own, 0, now).addSpans(project, id, [spanOf(mark)], keys),
    patch: (own, id, mark) =>
      traceStore(own, 0, now).change(
        project,
        id,
        { kind: "trace-patch", update: { metadata: { [mark]: true } } },
        keys,
      ),
    tag: async (own, id, mark) => {
      const [tags, change] = [traceTags(own, now), { add: [mark], remove: [] }];
      const found = await tags.check(project, id, change);
      return found !== null && (await tags.apply(project, found, change));
    },
    merge: async (own, id) => {
      const reader = traceReader(own, now);
      const merging = traceMerging(reader, traceWriter(own, traceDays(own), now), unpaced);
      const [stored, whole] = [await reader.locate(project, id), random.chance(0.3)];
      if (stored === null || stored.row.pieces.length < 3) return true;
      if (!whole) return await merging.merge(project, stored, { from: 1, to: stored.row.pieces.length, tier: 0 });
      const found = await reader.get(project, id);
      return found === null || (await merging.fold(project, found));
    },
    score: async (own, id) => {
      const score = someScore({ project_id: project, trace_id: id });
      scores.push(score.id);
      await scoreCreation(own, now).ofTrace(score);
    },
    remove: async (own, id) => {
      await traceRemoval(own, now).remove(project, id);
      return true;
    },
    "remove-session": (own) => sessionRemoval(own, now).remove(project, session),
  };

  /** Asks until it is acknowledged or the client gives up. @returns whether it was. */
  const ask = async (wish: Wish, id: string, mark: string, update: IdentifiedTrace, attempts: number) => {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const own = newProcess();
      try {
        const answer = await works[wish](own, id, mark, update);
        if (!own.crashed) return answer !== null && answer !== false;
      } catch {
        // The client sees a 5xx, or nothing.
      } finally {
        // What a function has not finished when it answers, it never does.
        own.crash();
      }
      refused += 1;
    }
    return false;
  };

  const look = async (id: string, ledger: TraceLedger): Promise<void> => {
    const [before, gone] = [ledger.present(), ledger.absent()];
    const found = (await traceReader(database, now).get(project, id))?.trace;
    const after = new Set(ledger.present());
    const spans = new Set(found?.spans.map(({ span_id }) => span_id));
    const [tags, metadata] = [
      new Set(found?.tags),
      new Set(Object.keys(found?.metadata ?? {}).filter((key) => key !== keys[0])),
    ];
    const all = spans.union(tags).union(metadata);
    const missing = before.filter((mark) => after.has(mark) && !all.has(mark));
    broken.expect(missing.length === 0, "I20: what was acknowledged is not there");
    broken.expect(!gone.some((mark) => all.has(mark)), "I27: what was deleted is there");
    broken.expect(
      [...all].every((mark) => ledger.knows(mark)),
      "I20: something is there that nobody sent",
    );
    // A trace that is sent carries its mark in four places: half of it would have it in some of them.
    const sent = new Set([...all].filter((mark) => mark.startsWith("send")));
    for (const place of [spans, tags, metadata]) {
      broken.expect(sent.isSubsetOf(place), "I21: an update is there in part");
    }
    broken.expect(found === undefined || sent.has(found.name), "I20: a name is there that nobody sent");
  };

  const client = async (name: string): Promise<void> => {
    const own = random.fork(name);
    for (let count = own.between(2, 8); count > 0; count -= 1) {
      const wish = own.pick(asked);
      const id = own.pick([ids[0] ?? "", ...ids]);
      const mark = `${wish}-${name}-${count}`;
      const update = updateOf(own, id, mark, moves);
      const ledger = ledgers.get(id) ?? traceLedger();
      const touched = wish === "remove-session" ? [...ledgers.values()] : [ledger];
      const deeds = marking.has(wish)
        ? [{ of: ledger, deed: ledger.put(mark) }]
        : wish === "score" || wish === "merge"
          ? []
          : touched.map((each) => ({ of: each, deed: each.remove() }));
      const done = await ask(wish, id, mark, update, own.between(1, 3));
      // An index that lags may hide a session's trace from the request that deletes it.
      for (const { of, deed } of deeds) of.end(deed, done && wish !== "remove-session");
      if (own.chance(0.3)) await look(id, ledger);
      if (own.chance(0.3)) await drain.work(newProcess(), (below) => own.below(below), own.between(1, 3));
    }
  };

  await Promise.all(Array.from({ length: random.between(1, 5) }, (_, index) => client(`client-${index}`)));

  // Fences outlast whatever is under way.
  for (const { quiet } of started) await quiet();
  await drain.finish(starts);
  for (const [id, ledger] of ledgers) await look(id, ledger);
  for (const id of ids) (await rowFaults(database, project, id)).forEach((said) => broken.expect(false, said));
  broken.expect((await drain.leftOf(ids, scores)).length === 0, "I28: something of a deleted trace is left");

  const names = projectNames(database);
  const list: string[] = [];
  await traceList(database, now).matching(project, traceFilter({}), ({ traceId }) => void list.push(traceId));
  const { rows } = await traceList(database, now).page(project, 100, 0);
  const known = [...ledgers].filter(([, ledger]) => ledger.present().length > 0).map(([id]) => id);
  for (const listed of [list, rows.map(({ traceId }) => traceId)]) {
    broken.expect(new Set(listed).size === listed.length, "I20: a trace is listed twice");
    broken.expect(
      known.every((id) => listed.includes(id)),
      "I20: an acknowledged trace is not listed",
    );
    for (const id of listed) {
      const found = await traceReader(database, now).get(project, id);
      broken.expect(found !== null, "I21: a trace is listed that is not there");
      if (found === null) continue;
      const numbers = await names.numbers(project, namesIn(found.trace.spans));
      const isTold = isDeepStrictEqual(found.row.facts, rowFactsOf(found.trace, numbers, keys));
      broken.expect(isTold, "I21: a row does not say what its document says");
    }
  }
  const acked = [...ledgers.values()].reduce((sum, ledger) => sum + ledger.acknowledged(), 0);
  return { seed, violations: broken.found, tally, acked, refused, deaths: drain.deaths() };
};
