import { DeleteCommand, GetCommand, PutCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { counterAudit, type CounterDifference } from "../counter-audit.ts";
import type { Database } from "../database.ts";
import { succeeds, ifConditionHolds } from "../failure.ts";
import { counterOf, countsPartition, isCounterSort } from "./counts.ts";
import { nothingCounted, rowCount, rowCounting, type RowCount } from "./row-count.ts";

/** Milliseconds in which neither rows nor counter may have moved: far more than the stream lags. */
const quietMilliseconds = 600_000;

/** What is begun ends within this, or is given up. */
const keptSeconds = 7 * 86_400;

/** Rows that a project is counted for on a day, on average: one with more is not begun again for as many days. */
const rowsOfDay = 200_000;
const [dayMilliseconds, longestRest] = [86_400_000, 60 * 86_400_000];

const checksPartition = "pending#count-checks";

const checkKey = (project: string) => ({ pk: checksPartition, sk: `${project}#check` });
const restKey = (project: string) => ({ pk: "pending#count-rests", sk: `${project}#rest` });

/** Key of what previous versions noted of a project whose counters may be wrong. */
const noteKey = (project: string) => ({ pk: "pending#counts", sk: `${project}#look` });

/** Keys of all that a check leaves of a project. */
export const countCheckKeys = (project: string) => [checkKey(project), restKey(project), noteKey(project)];

/** A check that is under way. */
const check = v.object({
  project: v.string(),
  /** New with every step: of two workers one goes on. */
  rev: v.number(),
  /** When it had its last turn, and when the next may begin; epoch milliseconds. */
  at: v.number(),
  from: v.number(),
  count: v.pipe(
    v.string(),
    v.transform((text): unknown => JSON.parse(text)),
    rowCount,
  ),
  /** What was found by counting once, by counter: the same as long as neither its rows nor it has moved. */
  found: v.optional(
    v.pipe(
      v.string(),
      v.transform((text): unknown => JSON.parse(text)),
      v.record(v.string(), v.string()),
    ),
  ),
});

export type CountCheck = Readonly<v.InferOutput<typeof check>>;

/** What a step of a check came to. */
export type CountFinding = "unfinished" | "right" | "doubtful" | "moved" | "mended";

/**
 * Compares the folded counters of traces with the rows, however many, in steps that go on where they ended. What a stream has
 * not told yet looks like a difference: it is counted again, and a counter is only mended when it and its rows have stood
 * still since.
 */
export const countChecks = (database: Database, now: () => number = Date.now) => {
  const { client, table } = database;
  const TableName = table("aggregates");
  const countRows = rowCounting(database, now);
  const audit = counterAudit(database);

  const query = async function* (pk: string, ConsistentRead: boolean) {
    const input = {
      TableName,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": pk },
      ConsistentRead,
    };
    for await (const { Items = [] } of paginateQuery({ client }, input)) yield* Items;
  };

  const differences = (project: string, { counters }: RowCount): Promise<readonly CounterDifference[]> => {
    // Nobody reads the counter of a day that is over.
    const tomorrow = counterOf(new Date(now() + dayMilliseconds).toISOString().slice(0, 10));
    const isTold = (counter: string): boolean => isCounterSort(counter) && counter >= tomorrow;
    return audit.differences(countsPartition(project), new Map(Object.entries(counters)), isTold);
  };

  /** Stores a check unless another worker has gone on with it. */
  const put = ({ project, rev, count, found, ...times }: CountCheck): Promise<boolean> =>
    succeeds(
      client.send(
        new PutCommand({
          TableName,
          Item: {
            ...checkKey(project),
            project,
            rev: rev + 1,
            ...times,
            count: JSON.stringify(count),
            found: found === undefined ? undefined : JSON.stringify(found),
            ttl: Math.ceil(now() / 1000) + keptSeconds,
          },
          ConditionExpression: rev === 0 ? "attribute_not_exists(pk)" : "rev = :rev",
          ...(rev !== 0 && { ExpressionAttributeValues: { ":rev": rev } }),
        }),
      ),
    );

  /** Ends a check; one of many rows is not begun again for a while. */
  const end = async ({ project, rev, count }: CountCheck): Promise<void> => {
    const rest = Math.min(longestRest, Math.floor(count.rows / rowsOfDay) * dayMilliseconds);
    if (rest > 0) {
      const until = now() + rest;
      const Item = { ...restKey(project), until, ttl: Math.ceil(until / 1000) };
      await client.send(new PutCommand({ TableName, Item }));
    }
    await ifConditionHolds(
      client.send(
        new DeleteCommand({
          TableName,
          Key: checkKey(project),
          ConditionExpression: "rev = :rev",
          ExpressionAttributeValues: { ":rev": rev },
        }),
      ),
    );
  };

  return {
    /** Begins to check a project, unless that is being done or was done not long ago. @param anyway whether that is no matter. */
    begin: async (project: string, anyway = false): Promise<void> => {
      const { Item } = await client.send(new GetCommand({ TableName, Key: restKey(project) }));
      if (!anyway && Item !== undefined && v.parse(v.object({ until: v.number() }), Item).until > now()) return;
      await put({ project, rev: 0, at: 0, from: now(), count: nothingCounted });
    },

    /** The checks that may go on, who was touched least recently first. */
    due: async (): Promise<readonly CountCheck[]> => {
      const found: CountCheck[] = [];
      // What somebody else has put there keeps no check waiting.
      for await (const item of query(checksPartition, true)) {
        const read = v.safeParse(check, item);
        if (read.success) found.push(read.output);
      }
      return found.filter(({ from }) => from <= now()).toSorted((a, b) => a.at - b.at);
    },

    /** Puts a check behind the others. @returns false when another worker has it. */
    touch: (due: CountCheck): Promise<boolean> => put({ ...due, at: now() }),

    /** Takes a check back that no rows are to be counted for any more. */
    drop: ({ project }: CountCheck): Promise<unknown> =>
      client.send(new DeleteCommand({ TableName, Key: checkKey(project) })),

    /**
     * Goes on with a check that was touched.
     *
     * @param until epoch milliseconds.
     */
    step: async (touched: CountCheck, until: number): Promise<CountFinding> => {
      const before = { ...touched, rev: touched.rev + 1 };
      const { project } = before;
      const { count, isAll } = await countRows(project, before.count, until);
      if (!isAll) {
        await put({ ...before, count });
        return "unfinished";
      }
      const found = await differences(project, count);
      if (before.found === undefined && found.length > 0) {
        const prints = Object.fromEntries(found.map(({ counter, print }) => [counter, print]));
        await put({ ...before, from: now() + quietMilliseconds, count: nothingCounted, found: prints });
        return "doubtful";
      }
      let mended = false;
      for (const difference of found) {
        if (before.found?.[difference.counter] !== difference.print) continue;
        if (await audit.mend(countsPartition(project), difference)) mended = true;
      }
      await end({ ...before, count });
      return mended ? "mended" : found.length === 0 ? "right" : "moved";
    },
  };
};
