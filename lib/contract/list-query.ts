import * as v from "valibot";
import { decimalPattern } from "../domain/decimal-pattern.ts";
import type { ExactKeys } from "../domain/exact-keys.ts";
import { sortOrders, type SortOrder } from "../domain/list-order.ts";
import { invalid } from "../domain/refusal.ts";
import { giverOf } from "../domain/scores/precedence.ts";
import { withoutNulls } from "./schema/closed-object.ts";
import { unparsedInstant, singleValue, oneOf, text } from "./schema/fields.ts";
import type { Route } from "./route.ts";
import { describedAs } from "./schema/json-schema.ts";
import { partOf } from "./schema/schema-part.ts";

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

/** Schema of a boolean in a query: `true` or `false`, case-insensitive, or `1` or `0`. */
export const booleanText = v.pipe(
  v.string(),
  v.toLowerCase(),
  v.picklist(["true", "false", "1", "0"], "Input should be a valid boolean"),
  v.transform((word) => word === "true" || word === "1"),
  describedAs({ type: "boolean" }),
);

/** Schema of a boolean query parameter. */
export const booleanParameter = singleValue(booleanText);

/**
 * Returns the query of a route with dry runs, which may also be asked for by `dry_run` in the body.
 *
 * @param description effect of `dry_run=true`, a sentence.
 */
export const dryRunQuery = (description: string) =>
  v.object({ dry_run: v.optional(v.pipe(booleanParameter, v.description(description)), ["false"]) });

/** Field of the body of a route with dry runs; the handler finds it in the query. */
export const dryRunField = {
  dry_run: v.nullish(
    v.pipe(v.boolean("Input should be a valid boolean"), v.description("The same as `dry_run` in the query.")),
  ),
};

/** True if a route has dry runs, which `dry_run` in the query or in the body requests. */
export const takesDryRun = ({ query }: Pick<Route, "query">): boolean =>
  query !== undefined && partOf(query).entries?.["dry_run"] !== undefined;

/** Schema of an amount in a query: a decimal number in a range, 0 or more. */
export const amountBetween = (minimum: number, maximum: number) =>
  v.pipe(
    v.string(),
    v.regex(new RegExp(`^${decimalPattern}$`, "u"), "Input should be a number, 0 or more"),
    v.transform(Number),
    v.minValue(minimum, `Input should be greater than or equal to ${minimum}`),
    v.maxValue(maximum, `Input should be less than or equal to ${maximum}`),
    describedAs({ type: "number", minimum, maximum }),
  );

/** Schema of an amount in a query: a decimal number, 0 or more. */
export const amountText = amountBetween(0, Number.MAX_SAFE_INTEGER);

/** Schema of a decimal number in a query, positive or negative. */
export const numberText = v.pipe(
  v.string(),
  v.regex(new RegExp(`^[+-]?${decimalPattern}$`, "u"), "Input should be a valid number"),
  v.transform(Number),
  v.minValue(-Number.MAX_VALUE, "Input should be a valid number"),
  v.maxValue(Number.MAX_VALUE, "Input should be a valid number"),
  describedAs({ type: "number" }),
);

/** Returns the sort parameters of a list. @param columns the columns to sort by; the first is the default. */
export const sorting = <const Columns extends readonly [string, ...string[]]>(columns: Columns) => ({
  sort_by: v.optional(singleValue(oneOf(columns)), [columns[0]]),
  sort_order: v.optional(
    singleValue(
      v.pipe(
        oneOf(sortOrders),
        v.description("Sort direction; nulls are last in both directions, and ties are ordered by id."),
      ),
    ),
    [sortOrders[0]],
  ),
});

/** Returns the parameters of a list about newest scores: its sort parameters, with the column `score`, and who gave them. */
export const scoredSorting = <const Columns extends readonly [string, ...string[]]>(
  columns: v.PicklistSchema<Columns, string>,
) => ({
  sort_by: v.optional(singleValue(columns), [columns.options[0]]),
  sort_order: sorting(columns.options).sort_order,
  sort_metric: v.optional(
    singleValue(
      v.pipe(
        text(1024, 1),
        v.description(
          "Name of the scores to sort by, required with `sort_by=score` and refused otherwise; numeric scores come first.",
        ),
      ),
    ),
  ),
  source: v.optional(
    singleValue(
      v.pipe(
        oneOf(["AUTOMATED", "ANNOTATION"]),
        v.description(
          "Whose newest scores are filtered, sorted by and included: AUTOMATED for those of judges and programs although a person has scored " +
            "the item, too, ANNOTATION for those of people; by default those that count.",
        ),
      ),
    ),
  ),
});

/**
 * Returns the name of the scores to sort by, or an empty array if the list is sorted by another column.
 *
 * @throws Refusal `invalid` if `sort_metric` is missing with `sort_by=score`, or present without it.
 */
const sortScoreNames = (column: string, metric: string | undefined): readonly string[] => {
  if (column !== "score" && metric !== undefined)
    throw invalid(["query", "sort_metric"], "Parameter requires sort_by=score");
  if (column !== "score") return [];
  if (metric === undefined) throw invalid(["query", "sort_metric"], "Field required", "missing");
  return [metric];
};

/** Paging and sort parameters of a list whose items can carry scores. */
interface ScoredListQuery {
  readonly limit?: unknown;
  readonly offset?: unknown;
  readonly cursor?: unknown;
  readonly sort_by: string;
  readonly sort_order: SortOrder;
  readonly sort_metric?: string | undefined;
  readonly source?: "AUTOMATED" | "ANNOTATION" | undefined;
  readonly include?: readonly string[] | undefined;
}

/**
 * Splits the query of a list whose items can carry scores into its sort order, its included scores, whose scores are meant,
 * and the filter parameters.
 *
 * @throws Refusal `invalid` if `sort_metric` is missing with `sort_by=score`, or present without it.
 */
export const splitScoredListQuery = <Query extends ScoredListQuery>(query: Query) => {
  const { limit: _, offset: __, cursor: ___, sort_by, sort_order, sort_metric, source, include, ...parameters } = query;
  const sortBy: Query["sort_by"] = sort_by;
  const scoreNames = sortScoreNames(sortBy, sort_metric);
  const withScores = include?.includes("scores") === true;
  const giver = source === undefined ? undefined : giverOf(source);
  return { sortBy, order: sort_order, scoreNames, giver, withScores, parameters };
};

/** Query parameter names by filter name. */
type ParameterNames = Readonly<Record<string, string>>;

/** Returns each key of an object by itself: the parameters of filters that are called like them. */
export const namesOf = <Fields extends object>(fields: Fields): { readonly [Name in keyof Fields]: Name } =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `Object.fromEntries` loses the names of the keys.
  Object.fromEntries(Object.keys(fields).map((name) => [name, name])) as { readonly [Name in keyof Fields]: Name };

type FiltersOf<Names extends ParameterNames, Query> = {
  readonly [Filter in keyof Names]?: Names[Filter] extends keyof Query ? Query[Names[Filter]] | undefined : never;
};

/**
 * Returns the filters that query parameters set, keyed by filter name. The query must contain filter parameters only: any
 * other key is a compile error.
 */
export const filtersFromQuery = <const Names extends ParameterNames, Query extends object>(
  parameters: Names,
  query: ExactKeys<Record<Names[keyof Names], unknown>, Query>,
): FiltersOf<Names, Query> => {
  const values: Readonly<Record<string, unknown>> = { ...query };
  const filters = Object.entries(parameters).map(([filter, parameter]) => [filter, values[parameter]]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- entries have lost the keys that the type maps.
  return Object.fromEntries(filters) as FiltersOf<Names, Query>;
};
