import { dayOf, type Instant } from "../../domain/instant.ts";
import type { ScoreFilters } from "../../domain/scores/filter.ts";
import type { Score } from "../../domain/scores/score.ts";
import { expiryDayOf } from "../../dynamo/expiry.ts";
import type { CountedItem } from "../totals/facets.ts";
import { instantOfOrder, runOfPartition, targetOfKey, type ScoreTarget } from "./keys.ts";
import { nameHash } from "./statistics-keys.ts";

/** Partition of the counters of a project's scores of one kind, in the table of aggregates. */
export const scoreCountsPartition = (target: ScoreTarget, project: string): string =>
  `${project}#${target}-score-counts`;

/** Counter scope of all scores of a kind. */
export const allScores = "all";

/** Counter scope of the scores of a name. */
export const scoresOfName = (name: string): string => `name#${nameHash(name)}`;

/** Counter scope of the scores of a run. */
export const scoresOfRun = (run: string): string => `run#${run}`;

/**
 * Counter scope of the scores created on a UTC day; their only facet is `anyScore`. `firstDay` and `lastDay` are
 * bounds of all days.
 */
export const scoresOfDay = (instant: Instant): string => `day#${dayOf(instant)}`;
export const [firstDay, lastDay] = ["day#0", "day#:"];

const anyScore = "ANY";

type FacetFields = Pick<Score, "status" | "source" | "data_type">;

/** Facet of a score within a counter scope. */
const scoreFacet = ({ status, source, data_type: type }: FacetFields): string => `${status}.${source}.${type}`;

/** Returns a function that is true for a facet whose scores match a filter. */
export const fitsFacet = ({ status, source, data_type: type }: ScoreFilters) => {
  const filterValues = [status, source, type];
  return (facet: string): boolean => {
    const facetValues = facet.split(".");
    return filterValues.every((value, index) => value === undefined || value === facetValues[index]);
  };
};

/** Attributes of a score's item that determine its counters. */
interface ListedScore extends FacetFields {
  readonly pk: string;
  readonly name: string;
  readonly order: string;
  /** Partition of the run's scores in the index `by-run`. */
  readonly run: string | undefined;
  /** Expiry (TTL), epoch seconds. */
  readonly ttl: number | undefined;
}

/** Returns the counters that include a score in the index by time. */
export const countedScore = ({ pk, name, order, run, ttl, ...facetFields }: ListedScore): CountedItem => {
  const project = pk.slice(0, pk.indexOf("#"));
  const shared = { partition: scoreCountsPartition(targetOfKey(pk), project), expiry: expiryDayOf(ttl) };
  const inScope = (scope: string) => ({ ...shared, scope, facet: scoreFacet(facetFields) });
  return {
    project,
    facets: [
      inScope(allScores),
      inScope(scoresOfName(name)),
      ...(run === undefined ? [] : [inScope(scoresOfRun(runOfPartition(run)))]),
      { ...shared, scope: scoresOfDay(instantOfOrder(order)), facet: anyScore },
    ],
  };
};
