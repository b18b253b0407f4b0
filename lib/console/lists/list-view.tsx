import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { LabelButton } from "../labels/label-button.tsx";
import { EvaluateDialog } from "../runs/lazy-evaluate-dialog.ts";
import { SelectionBar } from "../runs/selection-bar.tsx";
import { Export } from "../parts/files/export.tsx";
import { PagedRows } from "../parts/paged-rows.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { usePolling } from "../use-polling.ts";
import { useShortcuts } from "../shortcuts.ts";
import { usePagedList, type PagedList } from "../use-paged-list.ts";
import { useSearchedList, type SearchedList } from "../use-searched-list.ts";
import { navigate, route } from "../route.ts";
import { signOutIfUnauthorized } from "../sign-in.ts";
import { plural, shortTime } from "../format.ts";
import { chosenColumns } from "./chosen-columns.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { focusSummary } from "./focus-summary.ts";
import { ItemRow, ItemRowHead, widthsOf } from "./item-row.tsx";
import type { ListKind } from "./list-kind.ts";
import { filtersOfList, sortingOf } from "./list-query.ts";
import { SelectAll } from "./select-all.tsx";
import { rowHeight } from "./row-height.tsx";
import { Strip } from "./strip.tsx";

/** Milliseconds between reloads while the project has no items. */
const pollInterval = 3_000;

/** Number of first items whose texts may widen a column. */
const maxMeasured = 50;

const noFilters: Readonly<Record<string, string>> = {};

/** Active row of a list, and its selected rows by id, both reset when the list changes; with Shift a selection extends from the last selected row. */
const useRowSelection = <Item,>(
  { targets, idOf, lastIndex }: ListKind<Item>,
  key: string,
  at: (index: number) => Item | undefined,
) => {
  const activeIndex = useSignal(lastIndex?.(key) ?? 0);
  const selection = useSignal<ReadonlyMap<string, unknown>>(new Map());
  const previousKey = useRef(key);
  useEffect(() => {
    if (previousKey.current === key) return;
    previousKey.current = key;
    [activeIndex.value, selection.value] = [0, new Map()];
  }, [key]);
  const rangeStart = useRef(0);
  const select = (index: number, isRange: boolean): void => {
    if (targets === null) return;
    const next = new Map(selection.value);
    const [from, to] = isRange ? [rangeStart.current, index].toSorted((a, b) => a - b) : [index, index];
    for (let each = from ?? 0; each <= (to ?? 0); each += 1) {
      const item = at(each);
      if (item !== undefined && (isRange || !next.delete(idOf(item)))) next.set(idOf(item), item);
    }
    [selection.value, rangeStart.current] = [next, index];
  };
  return { activeIndex, selection, select };
};

/** Sentence that says how far a search went. */
const SearchedText = ({ to, documents, skipped, isIndexed }: NonNullable<SearchedList<unknown>["searched"]>) => (
  <span class="faint">
    {" · "}
    {to === null && !isIndexed && "All "}
    {plural(documents, "trace")} {isIndexed ? "read, the others ruled out by the index of words" : "searched"}
    {to !== null && `, back to ${shortTime(to)}`}
    {skipped > 0 && `; ${plural(skipped, "damaged text")} skipped`}
  </span>
);

/** Button that goes on with a search. It keeps the focus while it searches, and leaves it to the summary when nothing is left. */
const OlderButton = ({ searchOlder, isLoading }: SearchedList<unknown>) => {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(
    () => () => {
      if (document.activeElement === button.current) focusSummary(button.current);
    },
    [],
  );
  return (
    <button ref={button} type="button" class="quiet" onClick={searchOlder} aria-disabled={isLoading}>
      Search older
    </button>
  );
};

/** Number of items of a list, with a button that evaluates all of them. */
const ListSummary = ({
  noun,
  list: { total, error, isLoading },
  search,
  onEvaluateAll,
  hasSelection,
  children,
}: {
  readonly noun: string;
  readonly list: Pick<PagedList<unknown>, "total" | "error" | "isLoading">;
  /** Null for a list that is not searched. */
  readonly search: SearchedList<unknown> | null;
  /** Null if they cannot be evaluated together. */
  readonly onEvaluateAll: (() => void) | null;
  /** True if single items are selected: the actions on all are hidden, and keep their place. */
  readonly hasSelection: boolean;
  /** Further actions on all items. */
  readonly children: ComponentChildren;
}) => (
  <div class="said" tabIndex={-1}>
    {total === null && error === null && <LoadingNote>{`Loading ${noun}s`}</LoadingNote>}
    <span role="status">
      {total !== null && <b>{plural(total, noun)}</b>}
      {search?.searched && <SearchedText {...search.searched} />}
    </span>
    {search !== null && search.searched !== null && search.searched.to !== null && <OlderButton {...search} />}
    <span class="buttons" style={{ visibility: hasSelection ? "hidden" : "visible" }}>
      {onEvaluateAll !== null && total !== null && total > 0 && (
        <button type="button" class="evaluate-all" onClick={onEvaluateAll}>
          Evaluate all …
        </button>
      )}
      {children}
    </span>
    {isLoading && total !== null && <span class="faint">loading …</span>}
  </div>
);

/** List with its chart, filters, orders and selection, all but the selection stored in the URL. */
export const ListView = <Item,>({
  kind,
  fixed = noFilters,
  whenEmpty,
}: {
  readonly kind: ListKind<Item>;
  /** Filters of the page, which the user cannot remove. */
  readonly fixed?: Readonly<Record<string, string>>;
  /** Returns what is shown instead of an empty list. */
  readonly whenEmpty: (isFiltered: boolean) => ComponentChildren;
}) => {
  const { query } = route.value;
  const { noun, targets, idOf } = kind;
  const filters = filtersOfList(kind, query, fixed);
  const isSearch = filters.q !== undefined;
  const request = { ...filters, ...(isSearch ? {} : sortingOf(kind, query)) };
  const key = JSON.stringify([noun, request]);
  const paged = usePagedList<Item>(
    async (paging, signal) =>
      isSearch ? { items: [], total: 0, next_cursor: null } : await kind.list({ ...request, ...paging }, signal),
    key,
    signOutIfUnauthorized,
  );
  const search = useSearchedList<Item>(
    (paging, signal) => kind.list({ ...request, ...paging }, signal),
    isSearch ? key : null,
    signOutIfUnauthorized,
  );
  const list = isSearch ? search : paged;
  const { total, at, error, reload } = list;
  const columns = chosenColumns(kind);
  const height = rowHeight();
  const items = Array.from({ length: Math.min(total ?? 0, maxMeasured) }, (_, index) => at(index)).filter(
    (item) => item !== undefined,
  );
  const { activeIndex, selection, select } = useRowSelection(kind, key, at);
  const hasSelection = selection.value.size > 0;
  const isOpen = useSignal(false);
  const searchRef = useRef<HTMLInputElement>(null);
  const current = at(activeIndex.value);
  const open = (item: Item, index: number): void => {
    kind.onOpen?.({ key, index, total: total ?? 0, at });
    navigate(kind.hrefOf(item, { ...query, ...fixed }));
  };
  const lastIndex = Math.max(0, (total ?? 1) - 1);
  const down = (): unknown => (activeIndex.value = Math.min(activeIndex.value + 1, lastIndex));
  const up = (): unknown => (activeIndex.value = Math.max(activeIndex.value - 1, 0));
  useShortcuts({
    j: [down, `next ${noun}`],
    k: [up, `previous ${noun}`],
    ArrowDown: [down, `next ${noun}`],
    ArrowUp: [up, `previous ${noun}`],
    Enter: [() => current !== undefined && open(current, activeIndex.value), "open"],
    "/": [() => searchRef.current?.focus(), "search"],
    f: [() => document.querySelector<HTMLButtonElement>(".filters .chip")?.click(), "failed only"],
    ...(targets !== null && {
      x: [() => select(activeIndex.value, false), "select"],
      X: [() => select(activeIndex.value, true), "select a range"],
      e: [
        () => document.querySelector<HTMLButtonElement>(hasSelection ? ".selection .main" : ".evaluate-all")?.click(),
        "evaluate",
        true,
      ],
    }),
  });
  // The first item of a project appears without a reload of the page.
  const isFiltered = Object.keys(filters).length > Object.keys(fixed).length;
  usePolling(reload, total === 0 && !isFiltered, pollInterval);
  return (
    <div class={`list${height < 52 ? " dense" : ""}`} style={widthsOf(columns, targets !== null, items)}>
      <div class="toolbar">
        <FilterBar
          kind={kind}
          fixed={fixed}
          searchRef={searchRef}
          files={(total ?? 0) > 0 ? <Export key={key} name={`${noun}s`} read={list.read} /> : null}
        >
          {targets !== null && (
            <SelectAll key={key} noun={noun} total={total ?? 0} read={list.read} idOf={idOf} selection={selection} />
          )}
        </FilterBar>
        <ListSummary
          noun={noun}
          list={list}
          search={isSearch ? search : null}
          onEvaluateAll={targets === "traces" ? () => (isOpen.value = true) : null}
          hasSelection={hasSelection}
        >
          {targets === "traces" && <LabelButton fixed={fixed} />}
        </ListSummary>
      </div>
      <Strip kind={kind} filters={filters} />
      <ErrorAlert error={error} reload={reload} />
      {total === 0 && error === null && (!isSearch || search.searched?.to === null) && whenEmpty(isFiltered)}
      <PagedRows
        list={list}
        height={height}
        label={`${noun.charAt(0).toUpperCase()}${noun.slice(1)}s`}
        rowInView={activeIndex.value}
        active={current === undefined ? undefined : `row-${activeIndex.value}`}
        head={<ItemRowHead kind={kind} columns={columns} />}
        row={(item, index) => (
          <ItemRow
            key={idOf(item)}
            kind={kind}
            columns={columns}
            item={item}
            index={index}
            isActive={index === activeIndex.value}
            isSelected={selection.value.has(idOf(item))}
            onSelect={(isRange) => select(index, isRange)}
            onOpen={() => open(item, index)}
          />
        )}
      />
      {targets !== null && <SelectionBar kind={targets} selection={selection} onChange={reload} />}
      {isOpen.value && <EvaluateDialog targets={{ kind: "matching", fixed }} onClose={() => (isOpen.value = false)} />}
    </div>
  );
};
