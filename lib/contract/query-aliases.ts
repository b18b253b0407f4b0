/** Query parameters that mean the same: where a route takes one of a pair, it takes the other. */
export const queryAliases: Readonly<Record<string, string>> = {
  date_from: "started_after",
  date_to: "started_before",
  started_after: "date_from",
  started_before: "date_to",
};
