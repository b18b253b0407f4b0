import { route, updateQuery } from "../route.ts";
import { filterQuery, type StoredFilters } from "./filter-query.ts";

/** Replaces the filters of the address by stored ones. */
export const showFilters = (filters: StoredFilters): void => {
  const names = Object.keys(route.value.query).filter((name) => name !== "edit");
  updateQuery({ ...Object.fromEntries(names.map((name) => [name, null])), ...filterQuery(filters) });
};
