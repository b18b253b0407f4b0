import type { Position } from "../../../domain/page.ts";
import { invalid, Refusal } from "../../../domain/refusal.ts";
import type { TraceFilter } from "../../../domain/traces/filter.ts";
import type { TextTerm } from "../../../domain/traces/search/text-query.ts";
import type { Database } from "../../../dynamo/database.ts";
import type { PackedTrace } from "../packed-trace.ts";
import { documentSearch, maxDocuments } from "./documents.ts";
import type { TextSearch } from "./search.ts";

/** Milliseconds after which no further document is read: a request has 25 s, and its rows were read before. */
const wholeMilliseconds = 12_000;

const refusal = (problem: string): Refusal =>
  invalid(
    ["body", "filters", "q"],
    `${problem}. Narrow the other filters, as by date_from and date_to.`,
    "too_many_rows",
  );

const tooSlow =
  `The texts of the traces could not be read within ${wholeMilliseconds / 1_000} s, as the service is busy or they are long. ` +
  "Try again, or narrow the other filters, as by date_from and date_to.";

/** Checks the number of traces whose texts are to be searched as a whole. @throws Refusal `invalid` above `maxDocuments`. */
export const checkDocuments = (documents: number): void => {
  if (documents > maxDocuments)
    throw refusal(`The texts of more than ${maxDocuments.toLocaleString("en")} traces would have to be searched`);
};

/**
 * Returns a function that searches the documents of all rows, read with their incarnations, for terms, and returns the ids of those that match.
 * It throws a Refusal if a document could not be searched, as the result would not be whole: `unavailable` if it was not in time, else `invalid`.
 */
export const wholeSearch = (database: Database, now: () => number = Date.now) => {
  const begin = documentSearch(database, now);
  return async (project: string, rows: readonly PackedTrace[], terms: readonly TextTerm[]) => {
    const search = begin(project, terms, wholeMilliseconds);
    const outcomes = await search.outcomes(rows);
    if (outcomes.includes("unread"))
      throw search.isTooLong()
        ? refusal("The texts of the traces are too long to be searched in one request")
        : new Refusal({ kind: "unavailable", detail: tooSlow });
    const damaged = rows[outcomes.indexOf("unreadable")];
    if (damaged !== undefined) throw refusal(`The document of trace ${damaged.traceId} is damaged`);
    return new Set(rows.flatMap(({ traceId }, index) => (outcomes[index] === null ? [] : [traceId])));
  };
};

export type WholeSearch = ReturnType<typeof wholeSearch>;

/**
 * Returns a function that finds all traces that match a filter and terms, page by page, where an index of words leaves few enough texts to be
 * read; changes of the last seconds may be missed. It throws a Refusal as `wholeSearch` does.
 */
export const pagedSearch =
  (search: TextSearch, now: () => number = Date.now) =>
  async (project: string, filter: TraceFilter, terms: readonly TextTerm[]): Promise<readonly PackedTrace[]> => {
    const until = now() + wholeMilliseconds;
    const matches: PackedTrace[] = [];
    let documents = 0;
    let after: Position | null = null;
    do {
      if (now() >= until) throw new Refusal({ kind: "unavailable", detail: tooSlow });
      const { rows, last, searched } = await search(project, terms, { filter, limit: maxDocuments, offset: 0, after });
      documents += searched.documents;
      checkDocuments(documents);
      if (searched.skipped > 0) throw refusal("The document of a trace is damaged");
      matches.push(...rows);
      after = last;
    } while (after !== null);
    return matches;
  };

export type PagedSearch = ReturnType<typeof pagedSearch>;
