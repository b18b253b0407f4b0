import type { CounterChange } from "../store/totals/counters.ts";
import { facetCounter, type CountedItem, type Facet } from "../store/totals/facets.ts";

const nameOf = ({ partition, ...facet }: Facet): string => `${partition}\n${facetCounter(facet)}`;

/**
 * Converts a change of a listed item to changes of the facet counters (numbers of items with the same filterable
 * fields).
 *
 * @param before counted item before the change, null if there was none.
 * @param after counted item after it, null if there is none.
 */
export const facetChanges = (
  before: CountedItem | null,
  after: CountedItem | null,
  sequence: bigint,
): readonly CounterChange[] => {
  const [oldFacets, newFacets] = [before, after].map((item) => new Set(item?.facets.map(nameOf)));
  const changes = (item: CountedItem | null, otherFacets: ReadonlySet<string> | undefined, change: 1 | -1) =>
    (item?.facets ?? [])
      .filter((facet) => otherFacets?.has(nameOf(facet)) !== true)
      .map((facet) => ({
        project: item?.project ?? "",
        partition: facet.partition,
        counter: facetCounter(facet),
        expiry: facet.expiry,
        change,
        sequence,
      }));
  return [...changes(before, newFacets, -1), ...changes(after, oldFacets, 1)];
};
