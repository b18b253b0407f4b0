import { hourRange, isWithin } from "../../domain/analytics/hour-range.ts";
import type { Database } from "../database.ts";
import { isGone } from "../expiry.ts";
import { traceCounts } from "../traces/counts.ts";
import { maxRows, tooManyRows } from "../traces/row-budget.ts";
import type { StartRange } from "../traces/row-scan.ts";
import { hourReader } from "./reader.ts";

/** Before and after every start. */
const [earliest, latest] = ["0001-01-01T00:00:00+00:00", "9999-12-31T23:00:00+00:00"];

/**
 * Refuses what would have to read too many rows of a project before it reads one: what is counted of them is enough to know.
 * A project that has no more altogether costs half a read unit; of a larger one the sums of the hours in the range are read,
 * until they are too many.
 */
export const rowForecast = (database: Database, now: () => number = Date.now, rowLimit = maxRows) => {
  const [counts, hours] = [traceCounts(database, now), hourReader(database)];

  /** Whether whole hours of the range have more traces, as far as they have been computed. */
  const isBeyond = async (project: string, { from, to }: StartRange): Promise<boolean> => {
    const range = hourRange(from ?? earliest, to ?? latest);
    if (range === null) return false;
    let rows = 0;
    for await (const { spans, hour, expiry, figures } of hours.between(project, range.touched)) {
      if (spans !== hour || !isWithin(range, hour) || isGone(expiry, now())) continue;
      rows += figures()?.traces ?? 0;
      if (rows > rowLimit) return true;
    }
    return false;
  };

  /**
   * @param loc of the field that narrows what is read.
   * @param bounds names of what narrows it.
   * @throws Refusal `invalid` when more than 2,000,000 rows would have to be read. What starts in a part of an hour, or in one
   *   that is being computed, is not foreseen: it is counted while it is read.
   */
  return async (project: string, range: StartRange, loc: readonly string[], bounds: string): Promise<void> => {
    if ((await counts.total(project)) <= rowLimit) return;
    const isAll = range.from === null && range.to === null;
    if (isAll || (await isBeyond(project, range))) throw tooManyRows(rowLimit, loc, bounds);
  };
};

export type RowForecast = ReturnType<typeof rowForecast>;
