import type { Hour } from "./bucket.ts";
import { usageTally, withFewerNames, type ModelUsage } from "./model-usage.ts";
import { figureTally, type TimedTrace, type TraceFigures } from "./trace-figures.ts";
import type { Contribution } from "../traces/totals.ts";

/** What the traces that started in one hour add up to. */
export interface HourRollup {
  readonly figures: TraceFigures;
  /** What their spans used, by the hour in which the spans started. */
  readonly usage: ReadonlyMap<Hour, readonly ModelUsage[]>;
}

type UsageTally = ReturnType<typeof usageTally>;

/** Models of one hour that are told apart while it is added up: above that only those with the most calls so far keep their names. */
const mostNamed = 20_000;

const withRoom = (tally: UsageTally): UsageTally => {
  if (tally.models() <= mostNamed) return tally;
  const fewer = usageTally();
  withFewerNames(tally.usage()).forEach(fewer.add);
  return fewer;
};

/** Adds an hour's traces up one by one. */
export const rollupTally = () => {
  const figures = figureTally();
  const hours = new Map<Hour, UsageTally>();
  return {
    add: (trace: TimedTrace, contributions: readonly Contribution[]): void => {
      figures.add(trace);
      for (const contribution of contributions) {
        const tally = hours.get(contribution.hour) ?? usageTally();
        tally.add(contribution);
        hours.set(contribution.hour, withRoom(tally));
      }
    },
    rollup: (): HourRollup => ({
      figures: figures.figures(),
      usage: new Map([...hours].map(([hour, tally]) => [hour, withFewerNames(tally.usage())])),
    }),
  };
};

/** Hours beside its own for which an hour's rollup has an item each; they are written together, in one transaction. */
const mostHours = 48;

/** The other hours that a rollup's spans lie in: the nearest, and the rest. */
export const otherHours = (
  usage: HourRollup["usage"],
  own: Hour,
): { readonly near: readonly Hour[]; readonly far: readonly Hour[] } => {
  const distance = (hour: Hour): number => Math.abs(Date.parse(`${hour}:00:00Z`) - Date.parse(`${own}:00:00Z`));
  const others = [...usage.keys()]
    .filter((hour) => hour !== own)
    .toSorted((a, b) => distance(a) - distance(b) || (a < b ? -1 : 1));
  return { near: others.slice(0, mostHours), far: others.slice(mostHours) };
};
