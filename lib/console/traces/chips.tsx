import { useSignal } from "@preact/signals";
import { place, refine } from "../place.ts";
import { filterNames, vocabulary, type FilterName } from "./trace-filters.ts";
import { when } from "../words.ts";
import { NewFilter } from "./new-filter.tsx";

const shown = (name: FilterName, value: string): string =>
  name === "started_after" || name === "started_before" ? when(value) : value.replaceAll("|", " and ");

/** The filters that the address names, each of which can be taken away, and a way to one more. */
export const Chips = ({ without = [] }: { readonly without?: readonly FilterName[] }) => {
  const { query } = place.value;
  const isAdding = useSignal(false);
  const set = filterNames.filter((name) => !without.includes(name) && query[name] !== undefined);
  return (
    <>
      {set.map((name) => (
        <button
          type="button"
          class="chip set"
          onClick={() => refine({ [name]: null })}
          aria-label={`Without ${vocabulary[name].title} ${query[name] ?? ""}`}
        >
          {vocabulary[name].title}{" "}
          {vocabulary[name].kind !== "flag" && <b dir="auto">{shown(name, query[name] ?? "")}</b>}{" "}
          <span aria-hidden="true">✕</span>
        </button>
      ))}
      {isAdding.value ? (
        <NewFilter done={() => (isAdding.value = false)} />
      ) : (
        <button type="button" class="quiet" onClick={() => (isAdding.value = true)}>
          + Filter
        </button>
      )}
    </>
  );
};
