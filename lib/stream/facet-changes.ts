import type { CounterChange } from "../store/counters.ts";
import { facetCounter, type CountedItem, type Facet } from "../store/facets.ts";

const nameOf = ({ partition, ...facet }: Facet): string => `${partition}\n${facetCounter(facet)}`;

/** What a change of an item means for the counters, null where there was or is none that is counted. */
export const facetChanges = (
  before: CountedItem | null,
  after: CountedItem | null,
  sequence: bigint,
): readonly CounterChange[] => {
  const [old, now] = [before, after].map((item) => new Set(item?.facets.map(nameOf)));
  const changes = (item: CountedItem | null, others: ReadonlySet<string> | undefined, change: 1 | -1) =>
    (item?.facets ?? [])
      .filter((facet) => others?.has(nameOf(facet)) !== true)
      .map((facet) => ({
        project: item?.project ?? "",
        partition: facet.partition,
        counter: facetCounter(facet),
        expiry: facet.expiry,
        change,
        sequence,
      }));
  return [...changes(before, now, -1), ...changes(after, old, 1)];
};
