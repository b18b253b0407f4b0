import * as v from "valibot";
import { mapConcurrently } from "../../async/concurrency.ts";
import { windowLength, type AlertRule } from "../../domain/alerts/rule.ts";
import { addSums, isNothing, observationCount, noSums, type WindowSums } from "../../domain/alerts/sums.ts";
import type { Database } from "../../dynamo/database.ts";
import { ifAbsent, itemsOf } from "../../dynamo/items.ts";
import { immediateRetryPolicy } from "../../dynamo/retry-policies.ts";
import { throwContention, withRetries } from "../../dynamo/with-retries.ts";
import { faultFields, logLine } from "../../log.ts";
import { publishMetrics } from "../../published-metrics.ts";
import { alertSumsPartition, endOfSums, sumsPrefix } from "./keys.ts";
import { keptSumMilliseconds, type AlertStates } from "./states.ts";

/** Sums of different rules and windows that are updated in parallel; changes of one sum keep their order. */
const parallelFolds = 20;

/** Milliseconds after which a worker leaves the windows of a batch that it has not updated with a gap. */
const foldMilliseconds = 20_000;

/** Max windows that a worker remembers to have announced. */
const maxRemembered = 20_000;

const tuple = v.tuple([v.number(), v.number()]);
const sumsItem = v.object({
  /** Sequence number of the last record that the sums contain. */
  seq: v.pipe(
    v.string(),
    v.transform((text) => BigInt(text)),
  ),
  g: v.array(v.tuple([v.number(), v.number(), v.number()])),
  l: v.optional(v.array(tuple), []),
});

const unpack = ({ g, l }: v.InferOutput<typeof sumsItem>): WindowSums => ({
  groups: new Map(g.map(([group, count, sum]) => [group, { count, sum }])),
  latencies: l,
});

const pack = ({ groups, latencies }: WindowSums) => ({
  g: [...groups].map(([group, { count, sum }]) => [group, count, sum]),
  l: latencies.length === 0 ? undefined : latencies,
});

/** What a stream record adds to a window of a rule, or takes from it. */
export interface SumChange {
  readonly rule: AlertRule;
  /** End of the window, epoch milliseconds. */
  readonly end: number;
  /** Null if it could not be read. */
  readonly sums: WindowSums | null;
  /** Sequence number of the stream record, rising within its shard. */
  readonly sequence: bigint;
}

/**
 * Sums of the windows of alert rules, as partial sums: one per rule, window and stream shard, with the sequence number of
 * the last added record, so that a redelivered one is not counted twice.
 */
export const alertSums = (
  database: Database,
  states: Pick<AlertStates, "arm" | "noteGaps">,
  now: () => number = Date.now,
) => {
  const aggregates = itemsOf(database, "aggregates");
  const armedWindows = new Set<string>();

  const foldOne = async (shard: string, changes: readonly [SumChange, ...SumChange[]]): Promise<void> => {
    const [{ rule, end }] = changes;
    const prefix = sumsPrefix(rule, end);
    const key = { pk: alertSumsPartition(rule.projectId), sk: prefix + shard };
    const contention = throwContention("The sums of an alert rule changed during every attempt to update them.");
    const isChanged = await withRetries(immediateRetryPolicy, contention, async () => {
      const item = await aggregates.get(key);
      const before = item === undefined ? null : v.parse(sumsItem, item);
      const newChanges = changes.filter(({ sequence }) => before === null || sequence > before.seq);
      const last = newChanges.at(-1);
      if (last === undefined) return true;
      const additions = addSums(newChanges.map((each) => each.sums).filter((each) => each !== null));
      // A repeated record may have been added by a worker that died before it made the rule due.
      if (newChanges.length === changes.length && isNothing(additions)) return false;
      const sums = addSums([...(before === null ? [] : [unpack(before)]), additions]);
      await aggregates.put(
        { ...key, ...pack(sums), seq: String(last.sequence), ttl: Math.ceil((end + keptSumMilliseconds) / 1000) },
        before === null ? { when: ifAbsent } : { when: "seq = :seq", values: { ":seq": String(before.seq) } },
      );
      return true;
    });
    if (!isChanged) return;
    // Once for each window of a rule, but for a window that has ended, every time: it is evaluated again.
    if (armedWindows.has(prefix) && end > now()) return;
    await states.arm(rule.projectId, rule.id, end);
    if (armedWindows.size >= maxRemembered) armedWindows.clear();
    armedWindows.add(prefix);
  };

  const readRow = async (rule: AlertRule, ends: readonly number[]): Promise<ReadonlyMap<number, WindowSums>> => {
    const parts = new Map<number, WindowSums[]>(ends.map((end) => [end, []]));
    const between = [sumsPrefix(rule, ends[0] ?? 0), `${sumsPrefix(rule, ends.at(-1) ?? 0)}~`] as const;
    for await (const item of aggregates.query({ pk: alertSumsPartition(rule.projectId), between }))
      parts.get(endOfSums(item["sk"]))?.push(unpack(v.parse(sumsItem, item)));
    return new Map(Array.from(parts, ([end, window]) => [end, addSums(window)]));
  };

  /** Reads the sums of a window, strongly consistent. */
  const read = async (rule: AlertRule, end: number): Promise<WindowSums> =>
    (await readRow(rule, [end])).get(end) ?? noSums;

  /** Returns the end of the first window with data that ends at or after an instant; null if there is none. */
  const firstEnd = async (rule: AlertRule, from: number): Promise<number | null> => {
    const between = [sumsPrefix(rule, from), `${rule.id}#${rule.generation}#~`] as const;
    for await (const item of aggregates.query({ pk: alertSumsPartition(rule.projectId), between }))
      if (observationCount(unpack(v.parse(sumsItem, item))) > 0) return endOfSums(item["sk"]);
    return null;
  };

  /** Folds changes of a window. @returns false if that failed, with a log line. */
  const isFolded = async (...change: Parameters<typeof foldOne>): Promise<boolean> => {
    try {
      await foldOne(...change);
      return true;
    } catch (error) {
      logLine("alert_fold_failed", faultFields(error));
      return false;
    }
  };

  return {
    /**
     * Folds changes of one stream shard into the sums, each exactly once, and makes their rules due. A window of a rule that
     * fails, or is late, is noted as a gap and holds up nothing else.
     *
     * @throws the error of the first rule whose gaps could not be noted, after all others were processed.
     */
    fold: async (shard: string, changes: readonly SumChange[]): Promise<void> => {
      const current = changes.filter(({ end }) => end + keptSumMilliseconds > now());
      const until = now() + foldMilliseconds;
      const gaps = new Map<AlertRule, Set<number>>();
      const windows = Map.groupBy(current, ({ rule, end }) => sumsPrefix(rule, end));
      await mapConcurrently(windows.values(), parallelFolds, async ([first, ...following]) => {
        if (first === undefined) return;
        const { rule, end } = first;
        const isKnown = [first, ...following].every(({ sums }) => sums !== null);
        if (isKnown && now() < until && (await isFolded(shard, [first, ...following]))) return;
        gaps.set(rule, new Set([...(gaps.get(rule) ?? []), end]));
      });
      await mapConcurrently(gaps, parallelFolds, async ([{ projectId, id }, ends]) => {
        publishMetrics("alert_sums_incomplete", { FailedItems: ends.size }, { project_id: projectId, alert_id: id });
        await states.noteGaps(projectId, id, ends);
      });
    },

    read,
    firstEnd,

    /** Stores sums of windows before a rule's first one, which no worker adds to. */
    store: async (rule: AlertRule, windows: ReadonlyMap<number, WindowSums>): Promise<void> => {
      for (const [end, sums] of windows) {
        const key = { pk: alertSumsPartition(rule.projectId), sk: `${sumsPrefix(rule, end)}rows` };
        await aggregates.put({ ...key, ...pack(sums), seq: "0", ttl: Math.ceil((end + keptSumMilliseconds) / 1000) });
      }
    },

    /** Reads the sums of some windows, strongly consistent, by their ends: windows in a row with one request. */
    readAll: async (rule: AlertRule, ends: readonly number[]): Promise<ReadonlyMap<number, WindowSums>> => {
      const sorted = ends.toSorted((a, b) => a - b);
      const length = windowLength(rule.settings.window);
      const rows = sorted.reduce<number[][]>((groups, end) => {
        const last = groups.at(-1);
        if (last !== undefined && end - (last.at(-1) ?? 0) <= length) last.push(end);
        else groups.push([end]);
        return groups;
      }, []);
      const windows = await Promise.all(rows.map((row) => readRow(rule, row)));
      return new Map(windows.flatMap((each) => Array.from(each)));
    },
  };
};

export type AlertSums = ReturnType<typeof alertSums>;
