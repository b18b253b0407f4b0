import type { ComponentChildren } from "preact";
import type { PagedList } from "../use-paged-list.ts";
import { VirtualRows, type VirtualRowsProps } from "./virtual-rows.tsx";

/** Number of rows shown until the list is loaded, enough for any screen. */
const skeletonRows = 40;

const WaitingRow = ({ height }: { readonly height: number }) => (
  <div class="row waiting" role="row" style={{ height: `${height}px` }}>
    <span role="gridcell" class="unseen">
      loading
    </span>
  </div>
);

/**
 * Grid of a paged list, whose pages are loaded when their rows come into view. Empty rows hold its place until the first page
 * is loaded; an empty list renders nothing.
 */
export const PagedRows = <Item,>({
  list,
  row,
  ...rows
}: Omit<VirtualRowsProps, "count" | "role" | "row"> & {
  readonly list: PagedList<Item>;
  readonly row: (item: Item, index: number) => ComponentChildren;
}) => {
  const { total, at, ensureLoaded, error } = list;
  if (total === null)
    return error === null ? (
      <div class={`rows skeleton ${rows.class ?? ""}`} aria-hidden="true">
        {Array.from({ length: skeletonRows }, (_, index) => (
          <WaitingRow key={index} height={rows.height} />
        ))}
      </div>
    ) : null;
  if (total === 0) return null;
  return (
    <VirtualRows
      {...rows}
      count={total}
      role="grid"
      row={(index) => {
        ensureLoaded(index);
        const item = at(index);
        return item === undefined ? <WaitingRow key={index} height={rows.height} /> : row(item, index);
      }}
    />
  );
};
