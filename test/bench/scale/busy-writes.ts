import { randomUUID } from "node:crypto";
import * as v from "valibot";
import type { Database } from "../../../lib/dynamo/database.ts";
import { rowKeyLengths } from "../../../lib/store/traces/keys.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { startDatabase } from "../../support/database/database.ts";
import { isOn } from "../../support/database/watched-database.ts";
import type { Call } from "../../support/faults/fault-kind.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { partitions } from "../../support/faults/partitions.ts";
import { seeded } from "../../support/random.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { quantity, scaleMeter } from "./scale-meter.ts";

/** Load on one day of a project. */
export interface BusyLoad {
  /** Write units a second that a partition takes, without burst capacity. */
  readonly limit: number;
  /** Commits a second, a third of them new traces and the others late spans of traces of the last two seconds. */
  readonly commits: number;
  /** Processes that write, each with a connection of its own. */
  readonly processes: number;
  readonly seconds: number;
}

const rowItem = v.object({ pk: v.object({ B: v.instance(Uint8Array) }), d: v.unknown() });

/** Milliseconds for which a trace gets late spans. */
const lateMilliseconds = 2_000;

/**
 * Writes a load into the day of a project, on a simulated clock, with partitions that refuse rows beyond their limit.
 * A client sends what was refused again after one to two seconds, to any process.
 *
 * @returns the times of refusals in milliseconds, the rows written in each second by partition, and the ids of the
 *   traces that were sent and of those that wait to be sent again.
 */
export const writeBusyDay = async (database: Database, project: string, day: string, load: BusyLoad) => {
  const { limit, commits, processes, seconds } = load;
  const random = seeded(5);
  let time = 0;
  const model = partitions(() => time, { write: limit, read: Number.MAX_SAFE_INTEGER, burst: 1 });
  const writes = Array.from({ length: seconds }, (): number[] => []);
  const decide = (call: Call) => {
    const item = v.safeParse(rowItem, call.input["Item"]);
    if (!isOn("PutItem", "rows")(call) || !item.success) return null;
    const kind = model(call);
    const [second, partition] = [writes[Math.floor(time / 1_000)], item.output.pk.B[rowKeyLengths.pk] ?? 0];
    if (kind === null && second !== undefined) second[partition] = (second[partition] ?? 0) + 1;
    return kind;
  };
  const stores = Array.from({ length: processes }, () => traceStore(faultyDatabase(database, decide), 0));
  const [sentIds, refusals]: [string[], number[]] = [[], []];
  let recent: { readonly id: string; readonly at: number }[] = [];
  let waiting: { readonly due: number; readonly id: string; readonly send: () => Promise<unknown> }[] = [];
  const storeOf = () => stores[random.below(processes)] ?? traceStore(database, 0);

  const newTrace = () => {
    const trace = someTrace({ started_at: `${day}T10:00:00+00:00`, spans: [] });
    sentIds.push(trace.trace_id);
    return { id: trace.trace_id, send: () => storeOf().save(project, trace) };
  };
  const lateSpan = (id: string) => {
    const span = { span_id: randomUUID(), name: "late", started_at: `${day}T10:00:01+00:00` };
    return { id, send: () => storeOf().addSpans(project, id, [span]) };
  };

  for (; time < seconds * 1_000; time += 1_000 / commits) {
    recent = recent.filter(({ at }) => at > time - lateMilliseconds);
    const late = random.below(3) === 0 ? undefined : recent[random.below(recent.length)];
    const due = waiting.filter((each) => each.due <= time);
    waiting = waiting.filter((each) => each.due > time);
    for (const each of [late === undefined ? newTrace() : lateSpan(late.id), ...due]) {
      try {
        await each.send();
        if (!recent.some(({ id }) => id === each.id)) recent.push({ id: each.id, at: time });
      } catch {
        refusals.push(time);
        waiting.push({ ...each, due: time + 1_000 + random.below(1_000) });
      }
    }
  }
  return { refusals, writes, sentIds, waiting: waiting.map(({ id }) => id) };
};

/** Measures commits of one project's day at three times what a partition takes, from a hundred processes. */
export const benchBusyDay = async (commits: number): Promise<void> => {
  const database = await startDatabase();
  const measure = scaleMeter(database, `${quantity(commits, "commits")} a second`);
  await measure(`one day, written, ${commits / 3} a second and partition`, async () => {
    const load = { limit: commits / 3, commits, processes: 100, seconds: 4 };
    const { refusals, writes } = await writeBusyDay(database, randomUUID(), "2026-10-01", load);
    return `${refusals.length} refused; a second by partition: ${writes.map((each) => each.join(" ")).join(", ")}`;
  });
  await database.close();
};
