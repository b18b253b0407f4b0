import type { RefObject } from "preact";
import { useRef } from "preact/hooks";
import { place, refine } from "../place.ts";

/** The filters of traces that the address may carry. */
const names = ["status", "name", "user_id", "session_id", "started_after", "started_before", "sort_by"] as const;

type FilterName = (typeof names)[number];

interface TraceFilters {
  readonly status?: "PENDING" | "RUNNING" | "COMPLETED" | "ERROR";
  readonly name?: string;
  readonly user_id?: string;
  readonly session_id?: string;
  readonly started_after?: string;
  readonly started_before?: string;
  readonly sort_by?: "started_at" | "latency";
  readonly tags?: readonly string[];
}

/** The filters in an address. */
export const filtersIn = (query: Readonly<Record<string, string>>): TraceFilters => ({
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service says which values it does not know.
  ...(Object.fromEntries(
    names.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]])),
  ) as TraceFilters),
  ...(query["tag"] === undefined ? {} : { tags: [query["tag"]] }),
});

const titles: Readonly<Record<FilterName | "tag", string>> = {
  status: "Status",
  name: "Name has",
  user_id: "User",
  session_id: "Session",
  started_after: "From",
  started_before: "Until",
  sort_by: "By",
  tag: "Tag",
};

const statuses = ["ERROR", "RUNNING", "PENDING", "COMPLETED"] as const;

/** Filters as chips that live in the address. */
export const Filters = ({ find }: { readonly find: RefObject<HTMLInputElement | null> }) => {
  const { query } = place.value;
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const later = (name: string, value: string): void => {
    if (timer.current !== null) clearTimeout(timer.current);
    timer.current = setTimeout(() => refine({ [name]: value }), 250);
  };
  const set = Object.keys(titles).filter((name): name is FilterName | "tag" => query[name] !== undefined);
  return (
    <div class="filters" role="search">
      <input
        ref={find}
        type="search"
        placeholder="Part of a name"
        aria-label="Part of a name"
        value={query["name"] ?? ""}
        onInput={({ currentTarget: { value } }) => later("name", value)}
      />
      <select
        aria-label="Status"
        value={query["status"] ?? ""}
        onChange={({ currentTarget: { value } }) => refine({ status: value })}
      >
        <option value="">Any status</option>
        {statuses.map((status) => (
          <option value={status}>{status.toLowerCase()}</option>
        ))}
      </select>
      <select
        aria-label="Order"
        value={query["sort_by"] ?? ""}
        onChange={({ currentTarget: { value } }) => refine({ sort_by: value })}
      >
        <option value="">Newest first</option>
        <option value="latency">Slowest first</option>
      </select>
      {set.map((name) => (
        <button
          type="button"
          class="chip"
          onClick={() => refine({ [name]: null })}
          aria-label={`Without ${titles[name]} ${query[name] ?? ""}`}
        >
          {titles[name]} <b dir="auto">{query[name]}</b> <span aria-hidden="true">✕</span>
        </button>
      ))}
    </div>
  );
};
