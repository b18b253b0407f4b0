import { hourOf } from "../analytics/bucket.ts";
import type { Instant } from "../instant.ts";
import type { GroupValue } from "./dimensions.ts";
import type { Score } from "./score.ts";
import { statisticsOf, type ScoreFact } from "./statistics.ts";
import type { HourStatistics } from "./summary.ts";

/** What figures count: the newest score of each trace or of each session, or every score. */
export const scoreUnitNames = ["trace", "session", "score"] as const;
export type ScoreUnitName = (typeof scoreUnitNames)[number];

/** A score that figures count once. */
export interface ScoreUnit extends ScoreFact {
  readonly name: string;
  readonly createdAt: Instant;
  /** True if the score reaches the threshold of its metric; null if it has none. A BOOLEAN score passes if it is true. */
  readonly passed: boolean | null;
  /** Id of the judge of an AUTOMATED score, empty for one without; null for other scores, and if it was not read. */
  readonly judge?: string | null;
  /** Id of the session, or of a trace without one: scores of one cluster are not independent. */
  readonly cluster: string;
  /** Groups of the score: values of the dimensions, in their order. */
  readonly groups: readonly (readonly GroupValue[])[];
}

/** True if a score passes its metric; null if neither its judge nor its type says so. */
export const passes = ({ value, data_type, metadata: { success } }: Pick<Score, "value" | "data_type" | "metadata">) =>
  data_type === "BOOLEAN" ? value === "true" : typeof success === "boolean" ? success : null;

/** Statistics of a unit, by the hour of its score's creation. */
export const hourStatisticsOf = (unit: ScoreUnit): HourStatistics => ({
  hour: hourOf(unit.createdAt),
  name: unit.name,
  statistics: statisticsOf(unit, 1),
});

/** Returns all combinations of one value of each list, in the order of the lists. */
export const combinations = <Value>(lists: readonly (readonly Value[])[]): readonly (readonly Value[])[] =>
  lists.reduce<readonly (readonly Value[])[]>(
    (combined, values) => combined.flatMap((start) => values.map((value) => [...start, value])),
    [[]],
  );
