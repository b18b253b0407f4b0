import { bucketOf, hourOf, type Granularity } from "../analytics/bucket.ts";
import { medianEstimate, rateEstimate, scoreEstimate } from "../statistics/estimate.ts";
import type { Observation } from "../statistics/observation.ts";
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

const observe = (units: readonly ScoreUnit[], valueOf: (unit: ScoreUnit) => number | null): readonly Observation[] =>
  units.flatMap((unit) => {
    const value = valueOf(unit);
    return value === null ? [] : [{ value, cluster: unit.cluster }];
  });

const isJudged = ({ status, inapplicable = false }: ScoreUnit): boolean => status === "SUCCESS" && !inapplicable;

/** Values of the successful, applicable scores, numbers and outcomes of 0 or 1. */
export const observedScores = (units: readonly ScoreUnit[]) => {
  const judgedUnits = units.filter(isJudged);
  return {
    values: observe(judgedUnits, ({ value }) => value),
    outcomes: observe(judgedUnits, ({ passed }) => (passed === null ? null : Number(passed))),
  };
};

/** Verdicts of judges among the successful, applicable scores that pass or fail. */
export const judgeVerdicts = (units: readonly ScoreUnit[]) =>
  units
    .filter(isJudged)
    .flatMap(({ passed, judge = null, cluster }) =>
      passed === null || judge === null ? [] : { judge, passed, cluster },
    );

/** True if scores neither pass nor fail: their metric has no threshold, and they are not `true` or `false`. */
export const lackThreshold = ({ values, outcomes }: ReturnType<typeof observedScores>): boolean =>
  outcomes.length === 0 && values.length > 0;

/** Mean and pass rate with their intervals. */
const estimatesOf = (units: readonly ScoreUnit[]) => {
  const observed = observedScores(units);
  const passRate = rateEstimate(observed.outcomes);
  return {
    count: units.length,
    mean: scoreEstimate(observed.values),
    pass_rate: lackThreshold(observed) ? { ...passRate, reason: "no_threshold" as const } : passRate,
  };
};

/** All estimates of a summary. */
export const summaryEstimates = (units: readonly ScoreUnit[]) => ({
  ...estimatesOf(units),
  median: medianEstimate(observedScores(units).values),
  applicable_rate: rateEstimate(
    observe(units, ({ status, inapplicable = false }) => (status === "SUCCESS" ? Number(!inapplicable) : null)),
  ),
});

/** Statistics of units, whenever their scores were created. */
export const statisticsOfUnits = (units: readonly ScoreUnit[]) =>
  addStatistics(units.map((unit) => statisticsOf(unit, 1)));

const latestOf = (units: readonly ScoreUnit[]) =>
  units.reduce((latest, { createdAt }) => (createdAt > latest ? createdAt : latest), "");

/** Computes further figures of scores of one name. */
type MoreFigures<More extends object> = (name: string, units: readonly ScoreUnit[]) => More;

/** Computes a summary of each name and group, by name. */
export const unitSummaries = <More extends object>({ units, ...counted }: CountedScores, more: MoreFigures<More>) =>
  [...Map.groupBy(units, ({ name }) => name)]
    .toSorted(([a], [b]) => byCodePoint(a, b))
    .flatMap(([name, unitsOfName]) =>
      ofGroups({ ...counted, units: unitsOfName }, (ofGroup) =>
        ofGroup.length === 0
          ? []
          : [
              {
                ...summaryOf(name, statisticsOfUnits(ofGroup), latestOf(ofGroup)),
                ...summaryEstimates(ofGroup),
                ...more(name, ofGroup),
              },
            ],
      ),
    );

/** Computes the trend of one name by group and time bucket, ascending. */
export const unitTrend = <More extends object>(
  name: string,
  counted: CountedScores,
  granularity: Granularity,
  more: MoreFigures<More>,
) =>
  ofGroups(counted, (units) => {
    const unitsByBucket = Map.groupBy(units, ({ createdAt }) => bucketOf(hourOf(createdAt), granularity));
    return trendOf(name, units.map(hourStatisticsOf), granularity).map((bucket) => {
      const ofBucket = unitsByBucket.get(bucket.bucket) ?? [];
      const { mean, pass_rate } = estimatesOf(ofBucket);
      return Object.assign(bucket, { mean, pass_rate, ...more(name, ofBucket) });
    });
  }).toSorted((a, b) => byCodePoint(a.bucket, b.bucket));

/** Counts the values of each group in equal buckets. */
export const unitDistribution = (counted: CountedScores, buckets: number) =>
  ofGroups(counted, (units) => distributionOf(statisticsOfUnits(units), buckets));
