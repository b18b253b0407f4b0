import * as v from "valibot";
import type { Database } from "../database.ts";
import { eraseItems, erasePartition, keyPages, type Erase } from "../erase-items.ts";
import { uuidBytes } from "../bytes/text.ts";
import { traceDays } from "./days.ts";
import { bodyPartition, keyOfRow, rowPartition } from "./keys.ts";

const rowItem = v.object({ pk: v.instance(Uint8Array), sk: v.instance(Uint8Array) });

/** Traces at a time. */
const parallel = 10;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** Documents and rows of a project's traces: by the list of its days, which stays, since a day can be in use again. */
export const eraseTraces = (database: Database): Erase => {
  const days = traceDays(database);

  const eraseTrace = async (project: string, sk: Uint8Array, pk: Uint8Array): Promise<number> => {
    const { traceId } = keyOfRow(sk);
    let erased = 0;
    const body = erasePartition(database, "bodies", bodyPartition(project, traceId));
    for await (const parts of body) erased += parts;
    // The row goes last: without it nobody would find the parts.
    return erased + (await eraseItems(database, "rows", [{ pk, sk }]));
  };

  return async function* (project) {
    for (const day of await days.list(project, true)) {
      for await (const keys of keyPages(database, "rows", rowPartition(project, day))) {
        const rows = keys.map((key) => v.parse(rowItem, key));
        for (let start = 0; start < rows.length; start += parallel) {
          const group = rows.slice(start, start + parallel);
          yield sum(await Promise.all(group.map(({ pk, sk }) => eraseTrace(project, sk, pk))));
        }
      }
    }
  };
};

/** The list of a project's days and its tombstones: when nobody can write a trace any more. */
export const eraseDays =
  (database: Database): Erase =>
  (project) =>
    erasePartition(database, "rows", uuidBytes(project));
