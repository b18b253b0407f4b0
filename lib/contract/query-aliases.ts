/** Aliases of query parameters: a route that accepts one name of a pair also accepts the other. */
export const queryAliases: Readonly<Record<string, string>> = {
  date_from: "started_after",
  date_to: "started_before",
  started_after: "date_from",
  started_before: "date_to",
};
