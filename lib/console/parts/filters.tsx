import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useRef } from "preact/hooks";
import { place, refine } from "../place.ts";
import { filterNames, orders, vocabulary, withValue, type FilterName } from "../trace-filters.ts";

const examples: Partial<Record<FilterName, string>> = {
  score: "task_completion<0.5",
  no_score: "task_completion",
  min_cost: "0.05",
  min_latency_ms: "5000",
};

/** Takes one filter more: its name, then its value. */
const NewFilter = ({ done }: { readonly done: () => void }) => {
  const name = useSignal<FilterName>("score");
  const value = useSignal("");
  const { kind } = vocabulary[name.value];
  const add = (): void => {
    const given = kind === "flag" ? "true" : value.value.trim();
    if (given === "") return;
    refine({ [name.value]: withValue(name.value, place.value.query[name.value], given) });
    done();
  };
  return (
    <form
      class="new-filter"
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <select
        aria-label="Filter"
        value={name}
        onChange={({ currentTarget }) => {
          const chosen = filterNames.find((each) => each === currentTarget.value);
          if (chosen !== undefined) name.value = chosen;
        }}
      >
        {filterNames.map((each) => (
          <option value={each}>{vocabulary[each].title}</option>
        ))}
      </select>
      {kind !== "flag" && (
        <input
          aria-label="Value"
          autofocus
          inputMode={kind === "number" ? "decimal" : "text"}
          placeholder={examples[name.value] ?? ""}
          value={value}
          onInput={({ currentTarget }) => (value.value = currentTarget.value)}
        />
      )}
      <button type="submit">Add</button>
      <button type="button" class="quiet" onClick={done}>
        Cancel
      </button>
    </form>
  );
};

/** Filters as chips that live in the address. */
export const Filters = ({ find }: { readonly find: RefObject<HTMLInputElement | null> }) => {
  const { query } = place.value;
  const isAdding = useSignal(false);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const later = (value: string): void => {
    if (timer.current !== null) clearTimeout(timer.current);
    timer.current = setTimeout(() => refine({ name: value }), 250);
  };
  const set = filterNames.filter((name) => name !== "name" && query[name] !== undefined);
  return (
    <div class="filters" role="search">
      <input
        ref={find}
        type="search"
        placeholder="Part of a name"
        aria-label="Part of a name"
        value={query["name"] ?? ""}
        onInput={({ currentTarget: { value } }) => later(value)}
      />
      <button
        type="button"
        class="chip"
        aria-pressed={query["has_error"] === "true"}
        onClick={() => refine({ has_error: query["has_error"] === "true" ? null : "true" })}
      >
        Failed
      </button>
      {set.map((name) => (
        <button
          type="button"
          class="chip"
          onClick={() => refine({ [name]: null })}
          aria-label={`Without ${vocabulary[name].title} ${query[name] ?? ""}`}
        >
          {vocabulary[name].title} {vocabulary[name].kind !== "flag" && <b dir="auto">{query[name]}</b>}{" "}
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
      <select
        aria-label="Order"
        value={query["sort_by"] ?? ""}
        onChange={({ currentTarget: { value } }) => refine({ sort_by: value })}
      >
        <option value="">Newest first</option>
        {Object.entries(orders).map(([name, title]) => (
          <option value={name}>{title.charAt(0).toUpperCase() + title.slice(1)}</option>
        ))}
      </select>
    </div>
  );
};
