import { dayOf, type Instant } from "../../domain/instant.ts";
import type { ScoreFilters } from "../../domain/scores/filter.ts";
import type { Score } from "../../domain/scores/score.ts";
import { expiryOf } from "../expiry.ts";
import type { CountedItem } from "../facets.ts";
import { instantOfOrder, runOfPartition, targetOfKey, type ScoreTarget } from "./keys.ts";
import { nameHash } from "./statistics-keys.ts";

/** Partition of what counts a project's scores of a kind, in the table of aggregates. */
export const scoreCountsPartition = (target: ScoreTarget, project: string): string =>
  `${project}#${target}-score-counts`;

/** Scope of all scores of a kind. */
export const allScores = "all";

export const scoresOfName = (name: string): string => `name#${nameHash(name)}`;

export const scoresOfRun = (run: string): string => `run#${run}`;

/** Scope of the scores that were made on a UTC day; their facet is `anyScore`. The first and the last are of no day. */
export const scoresOfDay = (instant: Instant): string => `day#${dayOf(instant)}`;
export const [firstDay, lastDay] = ["day#0", "day#:"];

const anyScore = "ANY";

type Faceted = Pick<Score, "status" | "source" | "data_type">;

/** What tells scores of a scope apart. */
const scoreFacet = ({ status, source, data_type: type }: Faceted): string => `${status}.${source}.${type}`;

/** Makes the function that tells whether scores of a facet match a filter. */
export const fitsFacet = ({ status, source, data_type: type }: ScoreFilters) => {
  const wanted = [status, source, type];
  return (facet: string): boolean => {
    const found = facet.split(".");
    return wanted.every((value, index) => value === undefined || value === found[index]);
  };
};

/** What tells what a score counts for, as its item has it. */
interface ListedScore extends Faceted {
  readonly pk: string;
  readonly name: string;
  readonly order: string;
  /** Partition of the run's scores. */
  readonly run: string | undefined;
  /** When it expires, epoch seconds. */
  readonly ttl: number | undefined;
}

/** What a score counts for that is listed by time. */
export const countedScore = ({ pk, name, order, run, ttl, ...faceted }: ListedScore): CountedItem => {
  const project = pk.slice(0, pk.indexOf("#"));
  const shared = { partition: scoreCountsPartition(targetOfKey(pk), project), expiry: expiryOf(ttl) };
  const inScope = (scope: string) => ({ ...shared, scope, facet: scoreFacet(faceted) });
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
