import type { RefObject } from "preact";
import { useRef } from "preact/hooks";
import { place, refine } from "../place.ts";
import { orders } from "./trace-filters.ts";
import { Chips } from "./chips.tsx";

/** Filters as chips that live in the address, a search by name and the order. */
export const Filters = ({ find }: { readonly find: RefObject<HTMLInputElement | null> }) => {
  const { query } = place.value;
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const later = (value: string): void => {
    if (timer.current !== null) clearTimeout(timer.current);
    timer.current = setTimeout(() => refine({ name: value }), 250);
  };
  const hasError = query["has_error"] === "true";
  return (
    <div class="filters" role="search">
      <input
        ref={find}
        type="search"
        placeholder="Part of a name"
        aria-label="Part of a name"
        value={query["name"] ?? ""}
        onInput={({ currentTarget: { value } }) => later(value)}
        onKeyDown={({ key, currentTarget }) => {
          if (key === "Enter" || key === "Escape") currentTarget.blur();
        }}
      />
      <button
        type="button"
        class="chip"
        aria-pressed={hasError}
        onClick={() => refine({ has_error: hasError ? null : "true" })}
      >
        Failed
      </button>
      <Chips without={["name", "has_error"]} />
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
