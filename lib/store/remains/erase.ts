import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Database } from "../database.ts";
import { eraseItems, erasePartition, keyPages, type Erase } from "../erase-items.ts";
import { uuidBytes } from "../bytes/text.ts";
import { traceDays } from "../traces/days.ts";
import { bodyPartition, keyOfRow, rowPartition } from "../traces/keys.ts";

const rowItem = v.object({ pk: v.instance(Uint8Array), sk: v.instance(Uint8Array) });

/** Traces at a time. */
const parallel = 10;

/** Days that are looked at at a time. */
const daysAtATime = 20;

/** Days taken off the lists at a time: a write costs what the whole list weighs. */
const daysForgotten = 1_000;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/**
 * Documents and rows of a project's traces: by the list of its days. A day can be in use again as long as anybody writes who
 * began before the project was deleted; later one that is found empty is taken off the list, so that looking for what is left
 * takes no longer than there is anything. A row that came nevertheless, the scan of the tables finds.
 *
 * @param writersGone whether nobody can write a trace any more.
 */
export const eraseTraces = (database: Database, writersGone: boolean): Erase => {
  const days = traceDays(database);
  const { client, table } = database;

  const isEmpty = async (project: string, day: string): Promise<boolean> => {
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName: table("rows"),
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": rowPartition(project, day) },
        ProjectionExpression: "pk",
        Limit: 1,
        ConsistentRead: true,
      }),
    );
    return Items.length === 0;
  };

  const eraseTrace = async (project: string, sk: Uint8Array, pk: Uint8Array): Promise<number> => {
    const { traceId } = keyOfRow(sk);
    let erased = 0;
    const body = erasePartition(database, "bodies", bodyPartition(project, traceId));
    for await (const parts of body) erased += parts;
    // The row goes last: without it nobody would find the parts.
    return erased + (await eraseItems(database, "rows", [{ pk, sk }]));
  };

  const eraseDay = async function* (project: string, day: string): AsyncGenerator<number> {
    for await (const keys of keyPages(database, "rows", rowPartition(project, day))) {
      const rows = keys.map((key) => v.parse(rowItem, key));
      for (let start = 0; start < rows.length; start += parallel) {
        const group = rows.slice(start, start + parallel);
        yield sum(await Promise.all(group.map(({ pk, sk }) => eraseTrace(project, sk, pk))));
      }
    }
  };

  return async function* (project) {
    const [newest, ...others] = await days.list(project, true);
    if (newest === undefined) return;
    yield* eraseDay(project, newest);
    let empty: string[] = [];
    const forget = async (): Promise<void> => {
      if (writersGone && empty.length > 0) await days.forget(project, empty);
      empty = [];
    };
    try {
      for (let start = 0; start < others.length; start += daysAtATime) {
        const group = others.slice(start, start + daysAtATime);
        const found = await Promise.all(group.map(async (day) => ({ day, free: await isEmpty(project, day) })));
        empty.push(...found.filter(({ free }) => free).map(({ day }) => day));
        if (empty.length >= daysForgotten) await forget();
        for (const { day, free } of found) if (!free) yield* eraseDay(project, day);
        yield 0;
      }
    } finally {
      // Also where the time of the pass is over: the next one need not look at them.
      await forget();
    }
  };
};

/** The lists of a project's days and its tombstones: when nobody can write a trace any more. */
export const eraseDays =
  (database: Database): Erase =>
  (project) =>
    erasePartition(database, "rows", uuidBytes(project));
