import { useSignal } from "@preact/signals";
import { handleSubmit, focusOnMount } from "../parts/form-bindings.ts";
import { route, updateQuery } from "../route.ts";
import { Suggestions } from "./suggestions.tsx";
import { filterDefinitions, addFilterValue, type FilterName, type parseFilters } from "./trace-filters.ts";

/** Example values of filters, shown as placeholders of the value field. */
const examples: Partial<Record<FilterName, string>> = {
  score: "task_completion<0.5",
  no_score: "task_completion",
  min_cost: "0.05",
  min_latency_ms: "5000",
};

const suggestionsId = "suggested-values";

/** Converts a form value to a URL value: local date and time to ISO 8601; empty if invalid. */
const queryValue = (name: FilterName, value: string): string => {
  if (filterDefinitions[name].kind !== "instant") return value;
  const instant = new Date(value);
  return Number.isNaN(instant.getTime()) ? "" : instant.toISOString();
};

/** Form that adds a filter to the URL. */
export const NewFilter = ({
  names,
  filters,
  onClose,
}: {
  readonly names: readonly FilterName[];
  /** Filters of the traces whose values are suggested. */
  readonly filters: ReturnType<typeof parseFilters>;
  readonly onClose: () => void;
}) => {
  const name = useSignal<FilterName>(names.includes("score") ? "score" : "environment");
  const value = useSignal("");
  const definition = filterDefinitions[name.value];
  const { kind } = definition;
  const setValue = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }): void => {
    value.value = currentTarget.value;
  };
  const add = (): void => {
    const text = kind === "flag" ? "true" : queryValue(name.value, value.value.trim());
    if (text === "") return;
    updateQuery({ [name.value]: addFilterValue(name.value, route.value.query[name.value], text) });
    onClose();
  };
  return (
    <form
      class="new-filter"
      onSubmit={handleSubmit(add)}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        onClose();
      }}
    >
      <select
        aria-label="Filter"
        ref={focusOnMount}
        value={name}
        onChange={({ currentTarget }) => {
          const newName = names.find((each) => each === currentTarget.value);
          if (newName === undefined) return;
          const next = filterDefinitions[newName];
          [name.value, value.value] = [newName, "choices" in next ? next.choices[0] : ""];
        }}
      >
        {names
          // The same as `has_failed_span` for traces, and the chip "Failed" for sessions.
          .filter((each) => each !== "has_error")
          .map((each) => (
            <option value={each}>{filterDefinitions[each].title}</option>
          ))}
      </select>
      {"choices" in definition && (
        <select aria-label="Value" value={value} onChange={setValue}>
          {definition.choices.map((choice) => (
            <option value={choice}>{choice.toLowerCase()}</option>
          ))}
        </select>
      )}
      {kind === "instant" && (
        <input aria-label="Value" type="datetime-local" required value={value} onInput={setValue} />
      )}
      {(kind === "text" || kind === "number" || kind === "list") && (
        <input
          aria-label="Value"
          list={suggestionsId}
          required
          inputMode={kind === "number" ? "decimal" : "text"}
          pattern={kind === "number" ? "[0-9.]+" : ".*"}
          placeholder={examples[name.value] ?? ""}
          value={value}
          onInput={setValue}
        />
      )}
      <Suggestions id={suggestionsId} name={name.value} filters={filters} />
      <button type="submit">Add</button>
      <button type="button" class="quiet" onClick={onClose}>
        Cancel
      </button>
    </form>
  );
};
