import type { Granularity } from "../analytics/bucket.ts";
import { byCodePoint } from "../text.ts";
import type { Dimension } from "./dimensions.ts";
import { distributionOf } from "./distribution.ts";
import { groupsOf, type ScoreGroup } from "./groups.ts";
import { addStatistics, statisticsOf } from "./statistics.ts";
import { summaryOf, trendOf } from "./summary.ts";
import { hourStatisticsOf, type ScoreUnit, type ScoreUnitName } from "./unit.ts";

/** Scores that figures count, and what they are grouped by. */
export interface CountedScores {
  readonly unit: ScoreUnitName;
  readonly dimensions: readonly Dimension[];
  readonly units: readonly ScoreUnit[];
}

/** Computes figures of each group, or of all scores if they are not grouped. */
const ofGroups = <Figures extends object>(
  { unit, dimensions, units }: CountedScores,
  compute: (units: readonly ScoreUnit[]) => readonly Figures[],
) => {
  const named = ({ units: unitsOfGroup, ...group }: Partial<ScoreGroup> & Pick<ScoreGroup, "units">) =>
    compute(unitsOfGroup).map((figures) => Object.assign(figures, { unit, ...group }));
  if (dimensions.length === 0) return named({ units });
  return groupsOf(units, dimensions).flatMap(named);
};

const statisticsOfUnits = (units: readonly ScoreUnit[]) => addStatistics(units.map((unit) => statisticsOf(unit, 1)));

const latestOf = (units: readonly ScoreUnit[]) =>
  units.reduce((latest, { createdAt }) => (createdAt > latest ? createdAt : latest), "");

/** Computes a summary of each name and group, by name. */
export const unitSummaries = ({ units, ...counted }: CountedScores) =>
  [...Map.groupBy(units, ({ name }) => name)]
    .toSorted(([a], [b]) => byCodePoint(a, b))
    .flatMap(([name, unitsOfName]) =>
      ofGroups({ ...counted, units: unitsOfName }, (ofGroup) =>
        ofGroup.length === 0 ? [] : [summaryOf(name, statisticsOfUnits(ofGroup), latestOf(ofGroup))],
      ),
    );

/** Computes the trend of one name by group and time bucket, ascending. */
export const unitTrend = (name: string, counted: CountedScores, granularity: Granularity) =>
  ofGroups(counted, (units) => trendOf(name, units.map(hourStatisticsOf), granularity)).toSorted((a, b) =>
    byCodePoint(a.bucket, b.bucket),
  );

/** Counts the values of each group in equal buckets. */
export const unitDistribution = (counted: CountedScores, buckets: number) =>
  ofGroups(counted, (units) => distributionOf(statisticsOfUnits(units), buckets));
