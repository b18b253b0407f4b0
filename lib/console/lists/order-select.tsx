import { useSignal } from "@preact/signals";
import { route, updateQuery } from "../route.ts";
import { useLoad } from "../use-load.ts";
import type { ListKind } from "./list-kind.ts";
import { sortingOf } from "./list-query.ts";

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Select with the orders of a list: descending by a column, and ascending by a score, the worst first. */
export const OrderSelect = <Item,>({ kind }: { readonly kind: ListKind<Item> }) => {
  const { sort_by: by = "", sort_order: order = "desc", sort_metric: metric } = sortingOf(kind, route.value.query);
  // Names of scores are read when the select is first used.
  const isUsed = useSignal(false);
  const names = useLoad(
    async (signal) => (isUsed.value ? ((await kind.scoreNames?.(signal)) ?? []) : []),
    [isUsed.value],
  );
  const scoreNames = [...new Set([...(metric === undefined ? [] : [metric]), ...(names.value ?? [])])].toSorted();
  const value = metric === undefined ? `${by} ${by === "" ? "" : order}`.trim() : `score ${order} ${metric}`;
  const column = Object.values(kind.columns).find(({ sortBy }) => sortBy === (by === "" ? kind.defaultOrder[0] : by));
  const isListed = value === "" || metric !== undefined || (order === "desc" && Object.hasOwn(kind.orders, by));
  const setUsed = (): unknown => (isUsed.value = true);
  return (
    <select
      aria-label="Order"
      value={value}
      onFocus={setUsed}
      onPointerEnter={setUsed}
      onChange={({ currentTarget }) => {
        const [sortBy = "", direction, ...nameParts] = currentTarget.value.split(" ");
        updateQuery({
          sort_by: sortBy,
          sort_order: direction === "asc" ? direction : null,
          sort_metric: nameParts.join(" "),
        });
      }}
    >
      <option value="">{kind.defaultOrder[1]}</option>
      {Object.entries(kind.orders).map(([name, title]) => (
        <option value={`${name} desc`}>{capitalized(title)}</option>
      ))}
      {!isListed && (
        <option value={value}>
          By {(column?.title ?? by).toLowerCase()}, {order === "asc" ? "ascending" : "descending"}
        </option>
      )}
      {scoreNames.map((name) => (
        <option value={`score asc ${name}`}>Lowest {name.replaceAll("_", " ")} first</option>
      ))}
      {metric !== undefined && order === "desc" && (
        <option value={value}>Highest {metric.replaceAll("_", " ")} first</option>
      )}
    </select>
  );
};
