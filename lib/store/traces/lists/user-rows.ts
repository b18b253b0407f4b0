import * as v from "valibot";
import { userMatcher } from "../../../domain/access/pseudonym.ts";
import type { TraceRow } from "../../../domain/traces/row.ts";
import type { Database } from "../../../dynamo/database.ts";
import { itemsOf } from "../../../dynamo/items.ts";
import { traceDays } from "../days.ts";
import { PackedTrace } from "../packed-trace.ts";
import { unpackRow } from "../row-codec.ts";

const binary = v.instance(Uint8Array);
const rowItem = v.object({ sk: binary, d: v.optional(binary), i: v.string() });

/** The rows of a user on one page of a project's rows. */
interface UserRows {
  readonly rows: readonly TraceRow[];
  /** Places after the rows and after the page, at which another walk can begin. */
  readonly places: readonly string[];
  readonly place: string;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/**
 * Returns a function that walks through all rows of a project, oldest day first, and yields those of a user for each page of at most 1 MB,
 * strongly consistent, expired ones included. No index has users, so all rows are read.
 *
 * @param place place at which an earlier walk ended; null to begin with the first row.
 */
export const userRows = (database: Database) => {
  const [days, rows] = [traceDays(database), itemsOf(database, "rows")];

  return async function* (project: string, pseudonym: string, place: string | null): AsyncGenerator<UserRows> {
    const isOfUser = userMatcher(project, pseudonym);
    const [firstPartition = "", firstKey = ""] = (place ?? "").split("#");
    // Keys of a busy day's other partitions begin with that of its first, so that the texts sort by day.
    const partitions = (await days.list(project, true))
      .flatMap((day) => day.partitions)
      .toSorted((a, b) => a.compare(b));
    for (const pk of partitions) {
      const partition = hex(pk);
      if (partition < firstPartition) continue;
      const after = Buffer.from(partition === firstPartition ? firstKey || "00" : "00", "hex");
      const pages = rows.pages({ where: "pk = :pk AND sk > :after", values: { ":pk": pk, ":after": after } });
      for await (const { items } of pages) {
        const last = items.at(-1);
        if (last === undefined) continue;
        const matching = items.filter((item) => {
          const { sk, d, i } = v.parse(rowItem, item);
          return d !== undefined && isOfUser(new PackedTrace(Buffer.from(sk), d, i).userId);
        });
        const placeOf = (item: unknown): string => `${partition}#${hex(v.parse(rowItem, item).sk)}`;
        yield { rows: matching.map(unpackRow), places: matching.map(placeOf), place: placeOf(last) };
      }
    }
  };
};
