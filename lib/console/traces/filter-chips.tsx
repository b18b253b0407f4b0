import { useSignal } from "@preact/signals";
import { route, updateQuery } from "../route.ts";
import { filterNames, filterDefinitions, type FilterName } from "./trace-filters.ts";
import { shortTime } from "../format.ts";
import { isTimeRange, timeRanges } from "./time-range.ts";
import { NewFilter } from "./new-filter.tsx";

const displayValue = (name: FilterName, value: string): string =>
  name === "started_after" || name === "started_before" ? shortTime(value) : value.replaceAll("|", " and ");

/** Chips of the URL's trace filters, each with a remove button, and a button to add one. */
export const FilterChips = ({
  names = filterNames,
  excluded = [],
  hasTime = true,
}: {
  /** Filters that can be added. */
  readonly names?: readonly FilterName[];
  /** Filters without a chip. */
  readonly excluded?: readonly FilterName[];
  /** False if the page shows a relative range of time elsewhere. */
  readonly hasTime?: boolean;
}) => {
  const { query } = route.value;
  const isAdding = useSignal(false);
  const activeFilters = names.filter((name) => !excluded.includes(name) && query[name] !== undefined);
  const { range } = query;
  return (
    <>
      {hasTime && isTimeRange(range) && (
        <button
          type="button"
          class="chip set"
          onClick={() => updateQuery({ range: null })}
          aria-label={`Remove filter ${timeRanges[range]}`}
        >
          {timeRanges[range]} <span aria-hidden="true">✕</span>
        </button>
      )}
      {activeFilters.map((name) => (
        <button
          type="button"
          class="chip set"
          onClick={() => updateQuery({ [name]: null })}
          aria-label={`Remove filter ${filterDefinitions[name].title} ${query[name] ?? ""}`}
        >
          {filterDefinitions[name].title}{" "}
          {filterDefinitions[name].kind !== "flag" && <b dir="auto">{displayValue(name, query[name] ?? "")}</b>}{" "}
          <span aria-hidden="true">✕</span>
        </button>
      ))}
      {isAdding.value ? (
        <NewFilter names={names} onClose={() => (isAdding.value = false)} />
      ) : (
        <button type="button" class="quiet" onClick={() => (isAdding.value = true)}>
          + Filter
        </button>
      )}
    </>
  );
};
