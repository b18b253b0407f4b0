import * as v from "valibot";
import { hourNumber, hourStart, hourText } from "../../domain/analytics/bucket.ts";
import { scoreStatuses } from "../../domain/scores/score.ts";
import {
  addStatistics,
  noStatistics,
  sortedCategories,
  sortedValues,
  statisticsOf,
  subtractStatistics,
  type ScoreStatistics,
} from "../../domain/scores/statistics.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { audit } from "../audit/audit.ts";
import type { Totals } from "../audit/totals.ts";
import { countedFact } from "./codec.ts";
import type { ScoreTarget } from "./keys.ts";
import { allSources } from "./query.ts";
import type { ScoreHour } from "./random-score-hour.ts";
import {
  packExpiry,
  packStatistics,
  sizeOfStatistics,
  statisticsExpiry,
  unpackStatistics,
} from "./statistics-codec.ts";
import { statisticsPartition, statisticsSort } from "./statistics-keys.ts";

/** Max values of one repair item, so that it stays far below DynamoDB's limit of 400 KB. */
const maxValues = 4_000;

/** Partition of the notes of hours whose statistics differ, in the table `aggregates`. */
export const statisticsNotesPartition = "pending#score-checks";

/**
 * Name, in place of a stream shard's, of the partial sum with repairs: statistics that the sums of all stream shards
 * lack.
 */
const repairShard = "mended";

const entry = v.object({
  order_key: v.string(),
  n: v.string(),
  st: v.picklist(scoreStatuses),
  x: v.optional(v.string()),
  cat: v.optional(v.string()),
  ttl: v.optional(v.number()),
});
const partial = v.object({ seq: v.optional(v.string()) });
const note = v.object({ sk: v.string(), state: v.string(), at: v.number() });

/** Statistics of an hour's existing scores of one name. */
interface HourScores {
  readonly statistics: ScoreStatistics;
  /** Earliest expiry of the scores, epoch seconds; infinite when none expires. */
  readonly expiry: number;
}

const noScores: HourScores = { statistics: noStatistics, expiry: Number.POSITIVE_INFINITY };

/** A stored partial sum of an hour's scores of one name. */
interface HourSum {
  readonly statistics: ScoreStatistics;
  readonly seq?: string | undefined;
  /** True if the sum can contain expired scores. */
  readonly isIncomplete: boolean;
}

const isNothing = ({ success, failed, inapplicable, ruleBased, values, categories }: ScoreStatistics): boolean =>
  success === 0 && failed === 0 && inapplicable === 0 && ruleBased === 0 && values.size === 0 && categories.size === 0;

const compare: Totals<HourScores, HourSum>["compare"] = (name, counted = noScores, partials) => {
  const { statistics: actual, expiry } = counted;
  const missing = subtractStatistics(actual, addStatistics(partials.map(({ value }) => value.statistics)));
  if (isNothing(missing) || partials.some(({ value }) => value.isIncomplete)) return null;
  const { success, failed, inapplicable, latest } = actual;
  const sequences = partials.filter(({ version }) => version !== undefined).map(({ sort, version }) => [sort, version]);
  return {
    evidence: JSON.stringify([
      name,
      success,
      failed,
      inapplicable,
      latest,
      sortedValues(actual),
      sortedCategories(actual),
      sequences,
    ]),
    repair: (before) => {
      const sum = addStatistics([before?.statistics ?? noStatistics, missing]);
      const seq = String(BigInt(before?.seq ?? "0") + 1n);
      return sizeOfStatistics(sum) > maxValues
        ? null
        : { ...packStatistics(name, sum), seq, pages: 0, e: packExpiry(expiry) };
    },
  };
};

/**
 * Audit of the statistics of an hour's scores, by name. Repairs have a partial sum of their own beside those of the
 * shards.
 */
export const statisticsCheck = (database: Database, now: () => number = Date.now) => {
  const totals = ({ project, target, hour }: ScoreHour): Totals<HourScores, HourSum> => {
    const pk = statisticsPartition(target, project);
    return {
      pk,
      version: "seq",
      hasOneFingerprint: true,
      repairSort: (name) => statisticsSort(hour, name, repairShard),
      read: async (until) => {
        const partials = [];
        for await (const { items } of itemsOf(database, "aggregates").pages({ pk, prefix: `${hour}#` })) {
          for (const item of items) {
            const [{ sort, name, statistics }, { seq }] = [unpackStatistics(item), v.parse(partial, item)];
            // A page of values has neither sequence number nor expiry: the sum of its shard has them.
            const isIncomplete = seq !== undefined && statisticsExpiry(item) * 1000 <= now();
            partials.push({ total: name, sort, value: { statistics, seq, isIncomplete }, version: seq });
          }
          if (now() >= until) return null;
        }
        return partials;
      },
      compare,
    };
  };

  /** Computes the statistics of an hour's scores by name, from their index; null when the deadline passed. */
  const count = async ({ project, target, hour }: ScoreHour, until: number) => {
    const range = { date_from: hourStart(hour), date_to: hourStart(hourText(hourNumber(hour) + 1)) };
    const sums = new Map<string, HourScores>();
    for (const source of allSources(target, project, range, now())) {
      for await (const { items } of itemsOf(database, "scores").pages(source)) {
        const facts = items.map((item) => v.parse(entry, item));
        for (const [name, sameName] of Map.groupBy(facts, ({ n }) => n)) {
          const addedStatistics = sameName.map(({ order_key: order, st: status, ...fact }) =>
            statisticsOf({ ...countedFact(fact), status, order }, 1),
          );
          const before = sums.get(name) ?? noScores;
          sums.set(name, {
            statistics: addStatistics([before.statistics, ...addedStatistics]),
            expiry: Math.min(before.expiry, ...sameName.flatMap(({ ttl }) => ttl ?? [])),
          });
        }
        if (now() >= until) return null;
      }
    }
    return sums;
  };

  return audit(database, now, {
    partition: statisticsNotesPartition,
    retentionSeconds: 3 * 86_400,
    // Streams keep records for 24 hours.
    quietMilliseconds: 25 * 3_600_000,
    noteSort: ({ project, target, hour }: ScoreHour) => `${project}#${target}#${hour}`,
    pack: ([first]) => (first === undefined ? null : { state: first.fingerprint }),
    parse: (item) => {
      const parsed = v.safeParse(note, item);
      if (!parsed.success) return null;
      const { sk, state, at } = parsed.output;
      const [project = "", targetName, hour = ""] = sk.split("#");
      const target: ScoreTarget = targetName === "session" ? "session" : "trace";
      return { project, target, hour, at, noted: () => state };
    },
    totals,
    count,
  });
};
