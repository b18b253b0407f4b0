import * as v from "valibot";
import { awaitAll } from "../../../async/concurrency.ts";
import type { Dimension } from "../../../domain/scores/dimensions.ts";
import { contentTest } from "../../../domain/scores/filter.ts";
import { invalid } from "../../../domain/refusal.ts";
import { countingScore, giverOf, rankedVersion, type ScoreGiver } from "../../../domain/scores/precedence.ts";
import { scoreSources, scoreStatuses, type Score } from "../../../domain/scores/score.ts";
import { combinations, passes, type ScoreUnit } from "../../../domain/scores/unit.ts";
import type { Database } from "../../../dynamo/database.ts";
import { queryInput } from "../../../dynamo/items.ts";
import { rawQuery, rawText, type RawItem, type RawPage } from "../../../dynamo/raw-query.ts";
import { listBudget, maxListItems } from "../../totals/list-budget.ts";
import type { Source } from "../../totals/newest-first.ts";
import { type CountedVerdict, countedFact, countedVerdict, unpackVerdict, versionOfRank } from "../codec.ts";
import { countEstimates } from "../count-estimates.ts";
import type { FigureRange } from "../figures.ts";
import { instantOfOrder } from "../keys.ts";
import type { ScoreKind } from "../kind.ts";
import { allSources } from "../query.ts";
import type { FactsByTarget } from "./targets.ts";

/** Max scores that figures count. */
const maxUnits = 100_000;

/**
 * Limit of a page: more scores than fit into 1 MB. Without one dynoxide, the local database, reads the rest of the
 * partition for each page, which takes half of its time for 100,000 scores.
 */
const maxPageScores = 2_500;

const refusal = { noun: "scores", loc: ["query", "date_from"], advice: "Narrow date_from and date_to." } as const;

const entrySchema = v.object({
  order: v.string(),
  name: v.string(),
  status: v.picklist(scoreStatuses),
  source: v.picklist(scoreSources),
  target: v.string(),
  x: v.optional(v.string()),
  cat: v.optional(v.string()),
  p: v.optional(v.string()),
  rv: v.optional(v.string()),
  d: v.optional(v.instance(Uint8Array)),
});

type Entry = v.InferOutput<typeof entrySchema>;

const compactAttributes = "order_key, n, st, so, x, cat, p, rv, i, t";

/** What figures count of an entry: its verdict attribute, or the packed score of an earlier build. */
const verdictOf = (attribute: string | undefined, score: ReturnType<typeof unpackVerdict> | null): CountedVerdict => {
  const verdict = countedVerdict(attribute);
  if (verdict !== null) return verdict;
  return { passed: score === null ? null : passes(score), applicable: score?.applicable !== false };
};

/** What decides between two entries of a target and name, also of an entry of an earlier build. */
const rankOf = ({ order, rv, d }: Entry) => ({
  order,
  version: rv === undefined && d !== undefined ? rankedVersion(unpackVerdict(d)) : versionOfRank(rv),
});

/** Keeps the newest entry of each giver that was added under a key. */
const newestEntries = () => {
  const entries = new Map<string, Record<ScoreGiver, Entry | null>>();
  return {
    /** True if an entry of an order and a source is not older than those that were added. */
    isNewest: (key: string, order: string, source: Entry["source"]): boolean =>
      (entries.get(key)?.[giverOf(source)]?.order ?? "") < order,
    add: (key: string, entry: Entry): void => {
      const newest = entries.get(key) ?? { person: null, program: null };
      newest[giverOf(entry.source)] = entry;
      entries.set(key, newest);
    },
    counting: (): readonly Entry[] => [...entries.values()].flatMap((newest) => countingScore(newest, rankOf) ?? []),
  };
};

/** The attributes of a raw item that name its target. */
const textsOf = ({ i, t }: RawItem) => ({ i: rawText(i), t: rawText(t) });

interface Limits {
  /** Max scores that are read. */
  readonly read: number;
  /** Max scores that figures count. */
  readonly units: number;
}

/** Scores that figures count. */
interface UnitQuery {
  readonly range: FigureRange;
  /** Traces or sessions whose scores are read; null for all, each of which is a cluster of its own. */
  readonly targets: FactsByTarget | null;
  /** True to count every score, not only the newest of each target and name. */
  readonly isEvery: boolean;
  readonly dimensions: readonly Dimension[];
  /** True to read the judges of the scores. */
  readonly withJudges?: boolean;
}

/**
 * Returns a function that reads the scores of some traces or sessions from the index by time, in no particular order:
 * the newest that counts of each target and name among those created in a range, or all of them. They may lag writes by seconds.
 *
 * @throws Refusal `invalid` (from the returned function) when too many scores would be read or counted.
 */
export const scoreUnits = <S extends Score>(
  database: Database,
  kind: ScoreKind<S>,
  now: () => number = Date.now,
  limits: Limits = { read: maxListItems, units: maxUnits },
) => {
  const numbers = countEstimates(database, kind.target, now);

  return async (
    project: string,
    { range, targets, isEvery, dimensions, withJudges = false }: UnitQuery,
  ): Promise<readonly ScoreUnit[]> => {
    const { date_from: from, date_to: to } = range;
    if (targets?.size === 0 || (from !== undefined && to !== undefined && from >= to)) return [];
    const budget = listBudget(limits.read, refusal);
    budget.expect((await numbers(project, range)).range);
    const isOfVersion = contentTest({ judge: range.judge, metric_version: range.metric_version });
    const isCompared = !isEvery && kind.target === "trace";
    const readsScores = withJudges || isOfVersion !== null || dimensions.some((dimension) => "ofScore" in dimension);
    const newest = newestEntries();
    const targetOf = (item: RawItem): string | null => {
      const target = String(kind.targetOf(textsOf(item)));
      return rawText(item["st"]) === "PENDING" || targets?.has(target) === false ? null : target;
    };
    const add = (item: RawItem): void => {
      const [status, target] = [rawText(item["st"]), targetOf(item)];
      if (target === null) return;
      const [order, name] = [rawText(item["order_key"]) ?? "", rawText(item["n"]) ?? ""];
      const key = isEvery ? order : `${target} ${name}`;
      const source = v.parse(entrySchema.entries.source, rawText(item["so"]));
      if (!newest.isNewest(key, order, source)) return;
      const d = item["d"]?.B === undefined ? undefined : Buffer.from(item["d"].B, "base64");
      const entry = {
        order,
        name,
        status,
        source,
        target,
        x: item["x"]?.S,
        cat: item["cat"]?.S,
        p: item["p"]?.S,
        rv: item["rv"]?.S,
        d,
      };
      if (isOfVersion === null || (d !== undefined && isOfVersion(unpackVerdict(d))))
        newest.add(key, v.parse(entrySchema, entry));
    };
    /** True if the packed score of an entry is needed: it has no verdict attribute, or none by which it is compared. */
    const needsScore = (item: RawItem): boolean =>
      (countedVerdict(item["p"]?.S) === null || (isCompared && item["rv"] === undefined)) && targetOf(item) !== null;
    const readSource = async (source: Source): Promise<void> => {
      const readPage = async (start: RawPage["next"], withScores: boolean): Promise<RawPage> => {
        const attributes = withScores ? `${compactAttributes}, d` : compactAttributes;
        const input = queryInput({ ...source, attributes, start, limit: maxPageScores });
        const page = await rawQuery(database, { TableName: database.table("scores"), ...input });
        budget.onRead(page.scanned);
        return page;
      };
      let [next, hasOldScores]: [RawPage["next"], boolean] = [undefined, false];
      do {
        const withScores = readsScores || hasOldScores;
        let page = await readPage(next, withScores);
        hasOldScores = page.items.some(needsScore);
        // Scores of earlier builds lie together in time: of their pages only the first is read twice.
        if (hasOldScores && !withScores) page = await readPage(next, true);
        page.items.forEach(add);
        next = page.next;
      } while (next !== undefined);
    };
    await awaitAll(allSources(kind.target, project, range, now()).map(readSource));
    const entries = newest.counting();
    if (entries.length > limits.units) {
      const count = (number: number): string => number.toLocaleString("en");
      const msg = `Figures can be computed of at most ${count(limits.units)} scores, and ${count(entries.length)} match. Narrow the filters.`;
      throw invalid(["query"], msg, "too_many_rows");
    }
    // In one order, whichever source was read first: sums of doubles depend on it.
    const inOrder = entries.toSorted((a, b) => (a.order < b.order ? -1 : 1));
    return inOrder.map(({ order, name, status, source, target, x, cat, p, d }): ScoreUnit => {
      const fact = countedFact({ x, cat });
      const score = d === undefined || (p !== undefined && !readsScores) ? null : unpackVerdict(d);
      const { passed, applicable } = verdictOf(p, score);
      const { cluster, values } = targets?.get(target) ?? { cluster: target, values: [] };
      return {
        name,
        order,
        createdAt: instantOfOrder(order),
        status,
        value: fact.value,
        category: fact.category,
        ruleBased: fact.ruleBased,
        inapplicable: fact.inapplicable === true || !applicable,
        passed,
        judge: withJudges && source === "AUTOMATED" ? (score?.judge?.id ?? "") : null,
        cluster,
        groups: combinations(
          dimensions.map((dimension, index) =>
            "ofScore" in dimension ? [score && dimension.ofScore(score)] : (values[index] ?? []),
          ),
        ),
      };
    });
  };
};
