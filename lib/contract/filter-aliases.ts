import * as v from "valibot";
import { withoutNulls } from "./schema/closed-object.ts";
import { unparsedInstant } from "./schema/fields.ts";

const aliasOf = (field: string) =>
  v.nullish(
    v.pipe(unparsedInstant, v.description(`Alias of \`${field}\`, which takes precedence if both are present.`)),
  );

/** Alias fields of `date_from` and `date_to` in bodies that filter by start time. */
export const startAliases = { started_after: aliasOf("date_from"), started_before: aliasOf("date_to") };

type DateRangeFilters = { readonly [Name in "date_from" | "date_to"]?: string | null | undefined } & {
  readonly [Name in keyof typeof startAliases]?: string | null | undefined;
};

/** Replaces the aliases of `date_from` and `date_to` by these names, and drops filters that are null. */
export const resolveStartAliases = <Filters extends DateRangeFilters>({
  started_after,
  started_before,
  ...filters
}: Filters) =>
  withoutNulls({
    ...filters,
    date_from: filters.date_from ?? started_after,
    date_to: filters.date_to ?? started_before,
  });
