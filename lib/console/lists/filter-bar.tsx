import { Bookmark, Columns3, Download, TriangleAlert } from "lucide";
import type { ComponentChildren } from "preact";
import { bindText } from "../parts/form-bindings.ts";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { navigate, route, updateQuery } from "../route.ts";
import { FilterChips } from "../traces/filter-chips.tsx";
import { ErrorGroups } from "./error-groups.tsx";
import { FilterPanelButton, OpenFilterPanel } from "./filter-panel-button.tsx";
import { focusSummary } from "./focus-summary.ts";
import type { ListKind, SearchRef } from "./list-kind.ts";
import { filtersOfList } from "./list-query.ts";
import { ColumnChoice } from "./chosen-columns.tsx";
import { OrderSelect } from "./order-select.tsx";
import { SavedViews } from "./saved-views.tsx";
import { Icon } from "../display/icon.tsx";
import { Select, titlesByName } from "../parts/controls.tsx";
import { TimePicker } from "../parts/time-picker.tsx";
import { listRanges, timeBoundsOf } from "../parts/time-window.ts";

const timeOptions = { all: "All time", ...titlesByName(listRanges), custom: "Custom …" };

/** Milliseconds after the last keystroke until the search is applied. */
const typingPause = 250;

/** Text field that sets a query parameter of the URL while the user types, or at Enter. */
const SearchField = ({
  parameter,
  label,
  onEnter,
  searchRef,
}: ListKind<never>["search"] & { readonly searchRef: SearchRef }) => {
  const { [parameter]: search = "" } = route.value.query;
  // Local copy of the search text: rendering a late result must not overwrite what the user is typing.
  const text = useSignal(search);
  const appliedText = useRef(search);
  useEffect(() => {
    if (search !== appliedText.current) text.value = search;
    appliedText.current = search;
  }, [search]);
  const isDisplayed = useRef(true);
  useEffect(() => () => void (isDisplayed.current = false), []);
  const apply = async (): Promise<void> => {
    const typed = text.value;
    if (typed === appliedText.current) return;
    appliedText.current = typed;
    const href = typed === "" ? null : ((await onEnter?.(typed.trim())) ?? null);
    // The user may have gone on typing, or left.
    if (!isDisplayed.current || appliedText.current !== typed) return;
    if (href === null) updateQuery({ [parameter]: typed });
    else navigate(href);
  };
  useEffect(() => {
    const timer = onEnter === undefined || text.value === "" ? setTimeout(() => void apply(), typingPause) : undefined;
    return () => clearTimeout(timer);
  }, [text.value]);
  return (
    <input
      ref={searchRef}
      type="search"
      placeholder={label}
      aria-label={label}
      {...bindText(text)}
      onKeyDown={({ key, currentTarget }) => {
        // Chrome empties a field at Escape, but tells nobody if it loses the focus.
        if (key === "Escape" || (key === "Enter" && text.value.trim() === "")) text.value = "";
        if (key === "Escape" || (key === "Enter" && onEnter !== undefined)) void apply();
        // The keys of the list work outside of fields.
        if (key === "Enter" || key === "Escape") focusSummary(currentTarget);
      }}
    />
  );
};

/** Chip that sets and removes a filter of the URL. */
const ToggleChip = ({ parameter, value, meaning, title }: ListKind<never>["failed"] & { readonly title: string }) => {
  const isSet = route.value.query[parameter] === value;
  return (
    <button
      type="button"
      class="chip"
      aria-pressed={isSet}
      title={meaning}
      onClick={() => updateQuery({ [parameter]: isSet ? null : value })}
    >
      {title}
    </button>
  );
};

/** What the buttons behind the order open. */
const panels = { Errors: TriangleAlert, Columns: Columns3, Views: Bookmark, Download } as const;

/** Search, window of time, filter chips and order of a list, all stored in the URL, with groups of errors, columns, saved views and files. */
export const FilterBar = <Item,>({
  kind,
  fixed,
  searchRef,
  files,
  children,
}: {
  readonly kind: ListKind<Item>;
  /** Filters that the page sets, which have no chip. */
  readonly fixed: Readonly<Record<string, string>>;
  readonly searchRef: SearchRef;
  /** Buttons that save the list as a file; null while there is nothing to save. */
  readonly files: ComponentChildren;
  /** Further buttons with icons. */
  readonly children: ComponentChildren;
}) => {
  const { failed, filters, search, barFilters } = kind;
  const panel = useSignal<string | null>(null);
  const isFailed = route.value.query[failed.parameter] === failed.value;
  const withoutChip = new Set<string>([
    ...Object.keys(fixed),
    search.parameter,
    "has_failed_span",
    ...(isFailed ? [failed.parameter] : []),
  ]);
  return (
    <div class="filters" role="search">
      {!Object.hasOwn(fixed, search.parameter) && <SearchField {...search} searchRef={searchRef} />}
      <ToggleChip {...failed} title="Failed" />
      <ToggleChip
        parameter="has_failed_span"
        value="true"
        meaning="A trace has the status ERROR, or one of its spans failed, such as a tool call"
        title="Any span failed"
      />
      <TimePicker
        label="Time"
        control={Select}
        options={timeOptions}
        fallback="all"
        boundsOf={() => timeBoundsOf(route.value.query)}
      />
      <FilterChips
        hasTime={false}
        names={filters}
        fixed={fixed}
        countFilters={filters.filter((name) => barFilters?.has(name) ?? true)}
        excluded={filters.filter((name) => withoutChip.has(name))}
      />
      {route.value.query["q"] === undefined && <OrderSelect kind={kind} />}
      <span class="icons">
        <FilterPanelButton />
        {Object.entries(panels)
          .filter(([title]) => title !== "Errors" || kind.noun === "trace")
          .map(([title, icon]) => (
            <button
              type="button"
              class="quiet"
              aria-label={title}
              title={title}
              aria-expanded={panel.value === title}
              disabled={title === "Download" && files === null}
              onClick={() => (panel.value = panel.value === title ? null : title)}
            >
              <Icon node={icon} />
            </button>
          ))}
        {children}
      </span>
      <OpenFilterPanel filters={filtersOfList(kind, route.value.query, fixed)} fixed={fixed} />
      {panel.value === "Errors" && (
        <ErrorGroups filters={{ ...filtersOfList(kind, route.value.query, fixed), q: undefined }} />
      )}
      {panel.value === "Columns" && <ColumnChoice kind={kind} />}
      {panel.value === "Views" && <SavedViews />}
      {panel.value === "Download" && files !== null && <div class="panel">{files}</div>}
    </div>
  );
};
