import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { instantAt } from "../../../lib/domain/instant.ts";
import { namesIn } from "../../../lib/domain/traces/facts.ts";
import type { IdentifiedTrace } from "../../../lib/domain/traces/input.ts";
import { traceFilter } from "../../../lib/domain/traces/filter.ts";
import { rowFactsOf } from "../../../lib/domain/traces/row.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { sessionRemoval } from "../../../lib/store/sessions/removal.ts";
import { traceScoreList } from "../../../lib/store/scores/of-trace.ts";
import { traceDays } from "../../../lib/store/traces/days.ts";
import { traceMerging, unlimitedRate } from "../../../lib/store/traces/pieces/merging.ts";
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
import { importsOf, putLast, putScoreId, scoreIdsOfMark } from "./imports.ts";
import { traceLedger, type TraceLedger } from "./trace-ledger.ts";
import { rowFaults } from "./row-faults.ts";
import { violations } from "../violations.ts";
import { storm } from "../weather.ts";

/** Result of a schedule of client requests that change traces. */
export interface IngestReport {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly tally: Tally;
  readonly acked: number;
  readonly unacknowledged: number;
  /** Number of trace incarnations that were deleted. */
  readonly deletedIncarnations: number;
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

/** Metadata keys that the project has declared. */
const keys = ["kept"] as const;

/** Kinds of client requests with their relative frequency; every schedule omits some of them. */
const requestWeights = {
  send: 6,
  export: 3,
  append: 3,
  patch: 2,
  tag: 2,
  merge: 2,
  score: 1,
  remove: 2,
  "remove-session": 0.5,
  runs: 2,
  change: 1,
  events: 2,
  feedback: 1,
  "score-event": 1,
  "put-score": 1,
} as const;
type RequestKind = keyof typeof requestWeights;

/** Kinds of requests that put no mark into the trace. */
const unmarking: ReadonlySet<RequestKind> = new Set(["merge", "remove", "remove-session"]);

/** Kinds of requests that SDKs send again whose reply they did not get. */
const repeated: ReadonlySet<RequestKind> = new Set(["runs", "change", "events", "feedback", "score-event"]);

/** Names of traces that a score began, and metadata of telemetry, which are no marks. */
const [unnamed, telemetryKey] = ["unnamed", /^(?:otel|langsmith)\./u];

const requestKinds = (random: Random): readonly [RequestKind, ...RequestKind[]] => {
  const selectedKinds = Object.entries(requestWeights).filter(([kind]) => kind === "send" || random.chance(0.6)) as [
    RequestKind,
    number,
  ][];
  return ["send", ...selectedKinds.flatMap(([kind, weight]) => Array.from({ length: weight * 2 }, () => kind))];
};

const updateOf = (random: Random, trace_id: string, mark: string, moves: boolean): IdentifiedTrace => ({
  trace_id,
  name: mark,
  started_at: moves ? random.pick(starts) : starts[0],
  session_id: session,
  tags: [mark],
  metadata: { [mark]: true, kept: "value" },
  // Sometimes larger than one part of a document.
  input: random.chance(0.02) ? Array.from({ length: 25_000 }, () => randomUUID()).join("") : mark,
  spans: [spanOf(mark)],
});

/**
 * Sends, changes and deletes a few traces from several clients through functions that fail and crash, repeating
 * unacknowledged requests, while a purge that also crashes follows. Acknowledged data must be stored completely until
 * it is deleted, and no deleted data may remain.
 */
export const runIngest = async (database: Database, stream: TableStream, seed: number): Promise<IngestReport> => {
  const random = seeded(seed);
  const invariants = violations();
  const tally: Tally = new Map();
  const { database: rates, slow } = storm(random.fork("weather"));
  const project = randomUUID();
  const ids = Array.from({ length: random.between(1, 4) }, () => randomUUID());
  const moves = random.chance(0.5);
  const kinds = requestKinds(random.fork("wishes"));
  const ledgers = new Map<string, TraceLedger>(ids.map((id) => [id, traceLedger()]));
  const scores: string[] = [];
  // All instants are distinct, so that their order is certain.
  let [processes, unacknowledged, instant] = [0, 0, Date.parse("2026-10-05T00:00:00Z")];
  const now = (): number => {
    instant += 1;
    return instant;
  };
  const drain = purgeDrain(database, stream, project, now);

  const started: FaultyDatabase[] = [];
  const newProcess = (): FaultyDatabase => {
    processes += 1;
    const chance = random.fork(`process ${processes}`);
    const connection = faultyDatabase(
      database,
      slowRequests(chance.fork("slow"), () => slow, seededFaults(chance, rates, tally)),
    );
    started.push(connection);
    return connection;
  };

  const effectiveDeletions = new Set<string>();
  const operationOf: Readonly<
    Record<RequestKind, (connection: Database, id: string, mark: string, update: IdentifiedTrace) => Promise<unknown>>
  > = {
    send: async (connection, _id, _mark, update) => {
      await traceStore(connection, 0, now).save(project, update, "trace", keys);
      return true;
    },
    export: async (connection, _id, _mark, update) => {
      await traceStore(connection, 0, now).save(project, update, "telemetry", keys);
      return true;
    },
    append: (connection, id, mark) => traceStore(connection, 0, now).addSpans(project, id, [spanOf(mark)], keys),
    patch: (connection, id, mark) =>
      traceStore(connection, 0, now).change(
        project,
        id,
        { kind: "trace-patch", update: { metadata: { [mark]: true } } },
        keys,
      ),
    tag: async (connection, id, mark) => {
      const [tags, change] = [traceTags(connection, now), { add: [mark], remove: [] }];
      const taggedTrace = await tags.check(project, id, change);
      return taggedTrace !== null && (await tags.apply(project, taggedTrace, change));
    },
    merge: async (connection, id) => {
      const reader = traceReader(connection, now);
      const merging = traceMerging(reader, traceWriter(connection, traceDays(connection), now), unlimitedRate);
      const [locatedRow, foldsDocument] = [await reader.locate(project, id), random.chance(0.3)];
      if (locatedRow === null || locatedRow.row.pieces.length < 3) return true;
      if (!foldsDocument)
        return await merging.merge(project, locatedRow, { from: 1, to: locatedRow.row.pieces.length, tier: 0 });
      const storedTrace = await reader.get(project, id);
      return storedTrace === null || (await merging.fold(project, storedTrace));
    },
    score: (connection, id, mark) =>
      scoreCreation(connection, now).ofTrace(
        someScore({ id: putScoreId(mark), project_id: project, trace_id: id, name: mark }),
      ),
    remove: async (connection, id, mark) => {
      if (await traceRemoval(connection, now).remove(project, id)) effectiveDeletions.add(mark);
      return true;
    },
    "remove-session": (connection) => sessionRemoval(connection, now).remove(project, session),
    ...importsOf(project, keys, now),
  };

  /** Sends a request until it is acknowledged or the client gives up. @returns true if it was acknowledged. */
  const request = async (kind: RequestKind, id: string, mark: string, update: IdentifiedTrace, attempts: number) => {
    let isSentAgain = repeated.has(kind) && random.fork(`repetition of ${mark}`).chance(0.4);
    let isAccepted = false;
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const connection = newProcess();
      try {
        const answer = await operationOf[kind](connection, id, mark, update);
        if (!connection.crashed) isAccepted = answer !== null && answer !== false;
        if (!connection.crashed && !isSentAgain) return isAccepted;
        if (!connection.crashed) isSentAgain = false;
      } catch {
        // The client receives a 5xx or no reply.
      } finally {
        // Work that a function has not finished when it replies is never finished.
        connection.crash();
      }
      unacknowledged += 1;
    }
    return isAccepted;
  };

  const checkTrace = async (id: string, ledger: TraceLedger): Promise<void> => {
    const [before, absentMarks, wasGone] = [ledger.present(), ledger.absent(), ledger.isGone()];
    const trace = (await traceReader(database, now).get(project, id))?.trace;
    const after = new Set(ledger.present());
    const storedScores = [];
    for await (const score of traceScoreList(database, now).ofTarget(project, { target_id: id }))
      storedScores.push(score);
    const spans = new Set(trace?.spans.map(({ name }) => name));
    const [tags, metadata, scoreNames] = [
      new Set(trace?.tags),
      new Set(Object.keys(trace?.metadata ?? {}).filter((key) => key !== keys[0] && !telemetryKey.test(key))),
      new Set(storedScores.map(({ name }) => name)),
    ];
    const storedMarks = spans.union(tags).union(metadata).union(scoreNames);
    invariants.expect(scoreNames.size === storedScores.length, "I1: a score is stored twice");
    invariants.expect(
      storedScores.every(
        ({ name, value }) => !name.startsWith("put-score") || !before.includes(name) || value === putLast,
      ),
      "I20: a score has an earlier value than the last one that was acknowledged",
    );
    const missing = before.filter((mark) => after.has(mark) && !storedMarks.has(mark));
    invariants.expect(missing.length === 0, "I20: what was acknowledged is not there");
    invariants.expect(!absentMarks.some((mark) => storedMarks.has(mark)), "I27: what was deleted is there");
    invariants.expect(
      trace === undefined || !(wasGone && ledger.isGone()),
      "I27: a trace is back that was deleted and not sent again",
    );
    invariants.expect(
      [...storedMarks].every((mark) => ledger.knows(mark)),
      "I20: something is there that nobody sent",
    );
    // A sent trace carries its mark in four places; a partial update would have it in only some of them.
    const sentMarks = new Set([...storedMarks].filter((mark) => /^(?:send|events)-/u.test(mark)));
    for (const place of [spans, tags, metadata]) {
      invariants.expect(sentMarks.isSubsetOf(place), "I21: an update is there in part");
    }
    const mayName = trace === undefined || trace.name === unnamed || storedMarks.has(trace.name);
    invariants.expect(mayName, "I20: a name is there that nobody sent");
  };

  const client = async (name: string): Promise<void> => {
    const chance = random.fork(name);
    for (let count = chance.between(2, 8); count > 0; count -= 1) {
      const kind = chance.pick(kinds);
      const id = chance.pick([ids[0] ?? "", ...ids]);
      const mark = `${kind}-${name}-${count}`;
      const update = updateOf(chance, id, mark, moves);
      const ledger = ledgers.get(id) ?? traceLedger();
      const touched = kind === "remove-session" ? [...ledgers.values()] : [ledger];
      const isDeletion = kind === "remove" || kind === "remove-session";
      scores.push(...scoreIdsOfMark(project, mark));
      const puts = !unmarking.has(kind) ? [{ of: ledger, deed: ledger.put(mark, kind === "send") }] : [];
      const deletions = isDeletion ? touched.map((each) => ({ of: each, deed: each.remove() })) : [];
      const isAcknowledged = await request(kind, id, mark, update, chance.between(1, 3));
      for (const { deed } of deletions) deed.isEffective = effectiveDeletions.has(mark);
      // A lagging index may hide a session's trace from the request that deletes the session.
      for (const { of: ledgerOfTrace, deed: operation } of [...puts, ...deletions])
        ledgerOfTrace.end(operation, isAcknowledged && kind !== "remove-session");
      if (chance.chance(0.3)) await checkTrace(id, ledger);
      if (chance.chance(0.3)) await drain.work(newProcess(), (below) => chance.below(below), chance.between(1, 3));
    }
  };

  await Promise.all(Array.from({ length: random.between(1, 5) }, (_, index) => client(`client-${index}`)));

  // Tombstones outlast all pending requests.
  for (const { quiet } of started) await quiet();
  // A score begins a trace at the time of the test.
  await drain.finish([...starts, instantAt(Date.now())]);
  await drain.scan(ids);
  for (const [id, ledger] of ledgers) await checkTrace(id, ledger);
  for (const id of ids)
    (await rowFaults(database, project, id)).forEach((violation) => invariants.expect(false, violation));
  invariants.expect((await drain.remainsOf(ids, scores)).length === 0, "I28: something of a deleted trace is left");

  const names = projectNames(database);
  const list: string[] = [];
  await traceList(database, now).matching(project, traceFilter({}), ({ traceId }) => void list.push(traceId));
  const { rows } = await traceList(database, now).page(project, 100, 0);
  const acknowledgedIds = [...ledgers].filter(([, ledger]) => ledger.present().length > 0).map(([id]) => id);
  for (const listedIds of [list, rows.map(({ traceId }) => traceId)]) {
    invariants.expect(new Set(listedIds).size === listedIds.length, "I20: a trace is listed twice");
    invariants.expect(
      acknowledgedIds.every((id) => listedIds.includes(id)),
      "I20: an acknowledged trace is not listed",
    );
    for (const id of listedIds) {
      const storedTrace = await traceReader(database, now).get(project, id);
      invariants.expect(storedTrace !== null, "I21: a trace is listed that is not there");
      if (storedTrace === null) continue;
      const numbers = await names.numbers(project, namesIn(storedTrace.trace.spans));
      const hasDocumentFacts = isDeepStrictEqual(storedTrace.row.facts, rowFactsOf(storedTrace.trace, numbers, keys));
      invariants.expect(hasDocumentFacts, "I21: a row does not say what its document says");
    }
  }
  const acked = [...ledgers.values()].reduce((sum, ledger) => sum + ledger.acknowledged(), 0);
  return {
    seed,
    violations: invariants.messages,
    tally,
    acked,
    unacknowledged: unacknowledged,
    deletedIncarnations: drain.deletedCount(),
  };
};
