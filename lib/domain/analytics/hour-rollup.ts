import type { Hour } from "./bucket.ts";
import { usageTally, limitModelNames, type ModelUsage } from "./model-usage.ts";
import { figureTally, type TimedTrace, type TraceFigures } from "./trace-figures.ts";
import type { Contribution } from "../traces/totals.ts";

/** Totals of the traces that started in one hour (hourly rollup). */
export interface HourRollup {
  readonly figures: TraceFigures;
  /** Usage of the traces' spans, by the hour in which the spans started. */
  readonly usage: ReadonlyMap<Hour, readonly ModelUsage[]>;
}

type UsageTally = ReturnType<typeof usageTally>;

/**
 * Maximum number of models counted separately while an hourly rollup is computed; above it only the models with the
 * most calls keep their names.
 */
const maxNamedModels = 20_000;

const limitModels = (tally: UsageTally): UsageTally => {
  if (tally.models() <= maxNamedModels) return tally;
  const limited = usageTally();
  limitModelNames(tally.usage()).forEach(limited.add);
  return limited;
};

/** Creates an accumulator for the traces of one hour. */
export const rollupTally = () => {
  const figures = figureTally();
  const hours = new Map<Hour, UsageTally>();
  return {
    add: (trace: TimedTrace, contributions: readonly Contribution[]): void => {
      figures.add(trace);
      for (const contribution of contributions) {
        const tally = hours.get(contribution.hour) ?? usageTally();
        tally.add(contribution);
        hours.set(contribution.hour, limitModels(tally));
      }
    },
    rollup: (): HourRollup => ({
      figures: figures.figures(),
      usage: new Map([...hours].map(([hour, tally]) => [hour, limitModelNames(tally.usage())])),
    }),
  };
};

/**
 * Maximum number of further hours, in which spans of the rollup's traces started, that get a DynamoDB item each: all
 * items are written in one transaction.
 */
const maxOtherHours = 48;

/**
 * Splits the hours in which a rollup's spans started, except the rollup's own hour, into the nearest 48 and the
 * remaining hours.
 */
export const otherHours = (
  usage: HourRollup["usage"],
  rollupHour: Hour,
): { readonly near: readonly Hour[]; readonly far: readonly Hour[] } => {
  const distance = (hour: Hour): number => Math.abs(Date.parse(`${hour}:00:00Z`) - Date.parse(`${rollupHour}:00:00Z`));
  const sortedHours = [...usage.keys()]
    .filter((hour) => hour !== rollupHour)
    .toSorted((a, b) => distance(a) - distance(b) || (a < b ? -1 : 1));
  return { near: sortedHours.slice(0, maxOtherHours), far: sortedHours.slice(maxOtherHours) };
};
