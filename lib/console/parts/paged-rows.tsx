import type { ComponentChildren } from "preact";
import type { PagedList } from "../use-paged-list.ts";
import { VirtualRows, type VirtualRowsProps } from "./virtual-rows.tsx";

/** Grid of a paged list, whose pages are loaded when their rows come into view; renders nothing for an empty list. */
export const PagedRows = <Item,>({
  list,
  row,
  ...rows
}: Omit<VirtualRowsProps, "count" | "role" | "row"> & {
  readonly list: PagedList<Item>;
  readonly row: (item: Item, index: number) => ComponentChildren;
}) => {
  const { total, at, ensureLoaded } = list;
  if (total === null || total === 0) return null;
  return (
    <VirtualRows
      {...rows}
      count={total}
      role="grid"
      row={(index) => {
        ensureLoaded(index);
        const item = at(index);
        return item === undefined ? (
          <div class="row waiting" key={index} role="row" style={{ height: `${rows.height}px` }}>
            <span role="gridcell" class="unseen">
              loading
            </span>
          </div>
        ) : (
          row(item, index)
        );
      }}
    />
  );
};
