import type { RefObject } from "preact";
import { bindText } from "../parts/form-bindings.ts";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { route, updateQuery } from "../route.ts";
import { sortOrders } from "./trace-filters.ts";
import { FilterChips } from "./filter-chips.tsx";

/** Milliseconds after the last keystroke until the search is applied. */
const typingPause = 250;

/** Search by name, filter chips and sort order of the trace list, all stored in the URL. */
export const FilterBar = ({ searchRef }: { readonly searchRef: RefObject<HTMLInputElement | null> }) => {
  const { query } = route.value;
  const { name = "" } = query;
  // Local copy of the search text: rendering a late result must not overwrite what the user is typing.
  const text = useSignal(name);
  const appliedText = useRef(name);
  useEffect(() => {
    if (name !== appliedText.current) text.value = name;
    appliedText.current = name;
  }, [name]);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (text.value === appliedText.current) return;
      appliedText.current = text.value;
      updateQuery({ name: text.value });
    }, typingPause);
    return () => clearTimeout(timer);
  }, [text.value]);
  const hasError = query["has_error"] === "true";
  return (
    <div class="filters" role="search">
      <input
        ref={searchRef}
        type="search"
        placeholder="Search by name"
        aria-label="Search by name"
        {...bindText(text)}
        onKeyDown={({ key, currentTarget }) => {
          if (key === "Enter" || key === "Escape") currentTarget.blur();
        }}
      />
      <button
        type="button"
        class="chip"
        aria-pressed={hasError}
        onClick={() => updateQuery({ has_error: hasError ? null : "true" })}
      >
        Failed
      </button>
      <FilterChips excluded={["name", "has_error"]} />
      <select
        aria-label="Order"
        value={query["sort_by"] ?? ""}
        onChange={({ currentTarget: { value } }) => updateQuery({ sort_by: value })}
      >
        <option value="">Newest first</option>
        {Object.entries(sortOrders).map(([name, title]) => (
          <option value={name}>{title.charAt(0).toUpperCase() + title.slice(1)}</option>
        ))}
      </select>
    </div>
  );
};
