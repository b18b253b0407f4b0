import { escapeListValue, filterNames, metadataPrefix } from "./trace-filters.ts";

/** Filters as the service stores them. */
export type StoredFilters = Readonly<Record<string, unknown>>;

const shownNames: ReadonlySet<string> = new Set(filterNames);

const filterText = (value: unknown): string => {
  if (Array.isArray(value)) return value.map((each) => escapeListValue(String(each))).join("|");
  return typeof value === "string" ? value : JSON.stringify(value);
};

/** Converts filters of an alert rule or a monitor to the URL's, as far as the list of traces has them. */
export const filterQuery = ({ metadata, ...filters }: StoredFilters): Readonly<Record<string, string>> =>
  Object.fromEntries([
    ...Object.entries(filters).flatMap(([name, value]): [string, string][] =>
      shownNames.has(name) && value !== null ? [[name, filterText(value)]] : [],
    ),
    ...Object.entries(Object(metadata)).map(([key, value]) => [metadataPrefix + key, String(value)]),
  ]);

/** Returns the filters of a rule or a monitor that the console cannot edit, such as those of a later version. */
export const otherFilters = (filters: StoredFilters): StoredFilters =>
  Object.fromEntries(
    Object.entries(filters).filter(([name, value]) => !shownNames.has(name) && name !== "metadata" && value !== null),
  );
