import type { Column, ListKind } from "./list-kind.ts";
import { route, updateQuery } from "../route.ts";
import { sortingOf } from "./list-query.ts";

/** Returns the CSS classes of a column's cells. */
const classOf = <Item,>({ class: name = "", phoneWidth }: Column<Item>): string =>
  `${name}${phoneWidth === undefined ? " wide" : ""}`;

/** Returns the custom properties of CSS with the widths of columns, beside the checkbox of a selectable row. */
export const widthsOf = <Item,>(
  columns: readonly Column<Item>[],
  isSelectable: boolean,
  items: readonly Item[],
): Readonly<Record<"--columns" | "--phone-columns", string>> => {
  const [box, phoneBox] = isSelectable ? [["16px"], ["24px"]] : [[], []];
  return {
    "--columns": [...box, ...columns.map(({ width, widthOf }) => widthOf?.(items) ?? width)].join(" "),
    "--phone-columns": [...phoneBox, ...columns.flatMap(({ phoneWidth }) => phoneWidth ?? [])].join(" "),
  };
};

/** Title of a column, a button if the API can sort by the column. */
const ColumnHead = <Item,>({ column, kind }: { readonly column: Column<Item>; readonly kind: ListKind<Item> }) => {
  const { sortBy, title, isUntitled = false } = column;
  const { sort_by: by = kind.defaultOrder[0], sort_order: order = "desc" } = sortingOf(kind, route.value.query);
  const isSorted = sortBy !== undefined && by === sortBy;
  const label = <span class={isUntitled ? "unseen" : ""}>{title}</span>;
  const sort = (): void => {
    const next = isSorted && order === "desc" ? "asc" : null;
    const isDefault = sortBy === kind.defaultOrder[0] && next === null;
    updateQuery({ sort_by: isDefault ? null : (sortBy ?? null), sort_order: next, sort_metric: null });
  };
  return (
    <span
      role="columnheader"
      class={classOf(column)}
      aria-sort={isSorted ? (order === "desc" ? "descending" : "ascending") : undefined}
    >
      {sortBy === undefined ? (
        label
      ) : (
        <button type="button" class="sort" title={isUntitled ? title : undefined} onClick={sort}>
          {label}
          {isSorted && <span aria-hidden="true">{order === "desc" ? " ↓" : " ↑"}</span>}
          {isUntitled && !isSorted && <span aria-hidden="true">↕</span>}
        </button>
      )}
    </span>
  );
};

/** Header row of a list. */
export const ItemRowHead = <Item,>({
  kind,
  columns,
}: {
  readonly kind: ListKind<Item>;
  readonly columns: readonly Column<Item>[];
}) => (
  <>
    {kind.targets !== null && (
      <span role="columnheader">
        <span class="unseen">Selected</span>
      </span>
    )}
    {columns.map((column) => (
      <ColumnHead key={column.title} column={column} kind={kind} />
    ))}
  </>
);

/** Row of a list. */
export const ItemRow = <Item,>({
  kind,
  columns,
  item,
  index,
  isActive,
  isSelected,
  onSelect,
  onOpen,
}: {
  readonly kind: ListKind<Item>;
  readonly columns: readonly Column<Item>[];
  readonly item: Item;
  readonly index: number;
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly onSelect: (isRange: boolean) => void;
  readonly onOpen: () => void;
}) => (
  <div
    id={`row-${index}`}
    class={`row list-row ${kind.noun}-row${isActive ? " on" : ""}`}
    role="row"
    aria-rowindex={index + 1}
    aria-selected={kind.targets === null ? undefined : isSelected}
    onClick={({ target, ctrlKey, metaKey }) => {
      // A click anywhere in the row opens the item, except on the checkbox or for a new tab.
      if (ctrlKey || metaKey || (target instanceof Element && target.closest("input") !== null)) return;
      onOpen();
    }}
  >
    {kind.targets !== null && (
      <span role="gridcell" class="box">
        <input
          type="checkbox"
          checked={isSelected}
          onClick={({ shiftKey }) => onSelect(shiftKey)}
          aria-label={`Select ${kind.nameOf(item)}`}
          tabIndex={-1}
        />
      </span>
    )}
    {columns.map((column) => (
      <span role="gridcell" class={classOf(column)} title={column.tooltip?.(item)} key={column.title}>
        {column.cell(item)}
      </span>
    ))}
  </div>
);
