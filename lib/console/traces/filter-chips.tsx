import { useSignal } from "@preact/signals";
import { route, updateQuery } from "../route.ts";
import {
  filterNames,
  filterDefinitions,
  metadataIn,
  metadataPrefix,
  parseFilters,
  splitListValues,
  type FilterName,
} from "./trace-filters.ts";
import { shortTime } from "../format.ts";
import { listRanges, rangeIn } from "../parts/time-window.ts";
import { NewFilter } from "./new-filter.tsx";

const displayValue = (kind: string, value: string): string =>
  kind === "instant" ? shortTime(value) : kind === "list" ? splitListValues(value).join(", ") : value;

/** Chips of the page's and the URL's trace filters, the latter with a remove button, and a button to add one. */
export const FilterChips = ({
  names = filterNames,
  excluded = [],
  fixed = {},
  countFilters = names,
  hasTime = true,
}: {
  /** Filters that can be added. */
  readonly names?: readonly FilterName[];
  /** Filters without a chip. */
  readonly excluded?: readonly FilterName[];
  /** Filters of the page, which cannot be removed. */
  readonly fixed?: Readonly<Record<string, string>> | undefined;
  /** Filters that the traces with suggested values match. */
  readonly countFilters?: readonly FilterName[];
  /** False if the page shows a relative range of time elsewhere. */
  readonly hasTime?: boolean;
}) => {
  const query: Readonly<Record<string, string>> = { ...route.value.query, ...fixed };
  const isAdding = useSignal(false);
  const activeFilters = names.filter((name) => !excluded.includes(name) && query[name] !== undefined);
  const range = rangeIn(listRanges, query);
  return (
    <>
      {hasTime && range !== undefined && (
        <button
          type="button"
          class="chip"
          onClick={() => updateQuery({ range: null })}
          aria-label={`Remove filter ${listRanges[range].title}`}
        >
          {listRanges[range].title} <span aria-hidden="true">✕</span>
        </button>
      )}
      {activeFilters.map((name) => {
        const { title, kind } = filterDefinitions[name];
        const value = query[name] ?? "";
        const label = (
          <>
            {title} {kind !== "flag" && <b dir="auto">{displayValue(kind, value)}</b>}
          </>
        );
        return name in fixed ? (
          <span class="chip">{label}</span>
        ) : (
          <button
            type="button"
            class="chip"
            onClick={() => updateQuery({ [name]: null })}
            aria-label={`Remove filter ${title} ${value}`}
          >
            {label} <span aria-hidden="true">✕</span>
          </button>
        );
      })}
      {Object.entries(metadataIn(query)).map(([key, value]) => (
        <button
          type="button"
          class="chip"
          onClick={() => updateQuery({ [metadataPrefix + key]: null })}
          aria-label={`Remove filter ${key} ${value}`}
        >
          {key} <b dir="auto">{value}</b> <span aria-hidden="true">✕</span>
        </button>
      ))}
      {isAdding.value ? (
        <NewFilter
          names={names.filter((name) => !(name in fixed) && !(name === "q" && excluded.includes(name)))}
          filters={parseFilters(
            query,
            countFilters.filter((name) => name !== "q"),
          )}
          onClose={() => (isAdding.value = false)}
        />
      ) : (
        <button type="button" class="quiet" onClick={() => (isAdding.value = true)}>
          + Filter
        </button>
      )}
    </>
  );
};
