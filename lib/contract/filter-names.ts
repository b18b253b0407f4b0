import * as v from "valibot";
import { withoutNulls } from "./closed-object.ts";
import { instantAsWritten } from "./fields.ts";

const named = (other: string) =>
  v.nullish(v.pipe(instantAsWritten, v.description(`The same as \`${other}\`, which wins where both are given.`)));

/** The other names of a range of starts, in the bodies that select by one. */
export const otherStartNames = { started_after: named("date_from"), started_before: named("date_to") };

type Instants = { readonly [Name in "date_from" | "date_to"]?: string | null | undefined } & {
  readonly [Name in keyof typeof otherStartNames]?: string | null | undefined;
};

/** Filters by their own names, without those that are null. */
export const byOwnNames = <Filters extends Instants>({ started_after, started_before, ...filters }: Filters) =>
  withoutNulls({
    ...filters,
    date_from: filters.date_from ?? started_after,
    date_to: filters.date_to ?? started_before,
  });
