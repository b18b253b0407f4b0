import { GetCommand, paginateQuery, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { dayOf, type Instant } from "../../domain/instant.ts";
import { uuidBytes } from "../bytes/text.ts";
import type { Database } from "../database.ts";
import { ifConditionHolds } from "../failure.ts";
import { daysKey, dayOfYear, numberOfDay, yearKey, yearOf, yearOfSort } from "./keys.ts";

/** Which days are asked for: those of instants from `from` to `to`, null for no bound. */
interface DayRange {
  readonly from: Instant | null;
  readonly to: Instant | null;
}

/** The UTC days on which a project has traces: an item for each year. */
export interface TraceDays {
  /** Makes sure a day is listed, before its first row is written. */
  add(project: string, day: string): Promise<void>;
  /** Days in use, newest first. A day without rows may be among them; one with rows is never missing. */
  list(project: string, strongly: boolean, range?: DayRange): Promise<readonly string[]>;
  /** The same, read a few years at a time: who needs the newest alone does not read the others. */
  newest(project: string): AsyncGenerator<readonly string[]>;
  /** Takes days without rows off the list of a project that nobody writes to any more: whoever wrote does not add a day a second time. */
  forget(project: string, days: readonly string[]): Promise<void>;
}

/** Days of one year by their number in it; none when all were taken off. */
const numbers = v.optional(v.set(v.number()), () => new Set<number>());
const yearItem = v.object({ sk: v.instance(Uint8Array), n: numbers });

/** The list of all days that the version before knows, and reads alone; new days of a project with few go onto it, too. */
const wholeItem = v.object({ days: v.optional(v.set(v.string()), () => new Set<string>()) });

/** Days on the list of the version before with which it is still written: a write costs what the list weighs. */
const fewDays = 730;

/** Years that are read at a time for the newest days; the list of the version before is read with them. */
const yearsAtATime = 2;

/** Pairs this process has already added: a day is written once per process, not once per trace. */
const cacheSize = 10_000;

export const traceDays = ({ client, table }: Database): TraceDays => {
  const TableName = table("rows");
  const added = new Set<string>();

  const addToWhole = async (project: string, day: string): Promise<void> => {
    const { Item } = await client.send(new GetCommand({ TableName, Key: daysKey(project) }));
    if (Item !== undefined && v.parse(wholeItem, Item).days.size >= fewDays) return;
    await client.send(
      new UpdateCommand({
        TableName,
        Key: daysKey(project),
        UpdateExpression: "ADD days :day",
        ExpressionAttributeValues: { ":day": new Set([day]) },
      }),
    );
  };

  /** Days newest first, in groups, as their items are read: that of all days, then a year after another, newest first. */
  const groups = async function* (
    project: string,
    ConsistentRead: boolean,
    { from, to }: DayRange,
    pageSize?: number,
  ): AsyncGenerator<readonly string[]> {
    const [first, last] = [from === null ? "" : dayOf(from), to === null ? "9999-12-31" : dayOf(to)];
    const pages = paginateQuery(
      { client, ...(pageSize !== undefined && { pageSize }) },
      {
        TableName,
        KeyConditionExpression: "pk = :pk AND sk BETWEEN :whole AND :oldest",
        ExpressionAttributeValues: {
          ":pk": uuidBytes(project),
          ":whole": daysKey(project).sk,
          ":oldest": yearKey(project, from === null ? 0 : yearOf(first)).sk,
        },
        ConsistentRead,
      },
    );
    const left = new Set<string>();
    for await (const { Items = [], LastEvaluatedKey } of pages) {
      let oldest = "9999-12-31";
      for (const item of Items) {
        const year = yearOfSort(v.parse(yearItem, item).sk);
        if (year === null) for (const day of v.parse(wholeItem, item).days) left.add(day);
        else {
          for (const number of v.parse(yearItem, item).n) left.add(dayOfYear(year, number));
          oldest = dayOfYear(year, 1);
        }
      }
      // Of what is not read yet all days are older than those of the years that were.
      const known = [...left].filter((day) => LastEvaluatedKey === undefined || day >= oldest);
      for (const day of known) left.delete(day);
      const asked = known.filter((day) => day >= first && day <= last);
      if (asked.length > 0) yield asked.toSorted().toReversed();
    }
  };

  return {
    add: async (project, day) => {
      const pair = `${project}#${day}`;
      if (added.has(pair)) return;
      const number = numberOfDay(day);
      const { Attributes } = await client.send(
        new UpdateCommand({
          TableName,
          Key: yearKey(project, yearOf(day)),
          UpdateExpression: "ADD n :number",
          ExpressionAttributeValues: { ":number": new Set([number]) },
          ReturnValues: "UPDATED_OLD",
        }),
      );
      const before = v.parse(v.object({ n: numbers }), Attributes ?? {});
      if (!before.n.has(number)) await addToWhole(project, day);
      if (added.size >= cacheSize) added.clear();
      added.add(pair);
    },

    list: async (project, strongly, range = { from: null, to: null }) => {
      const days: string[] = [];
      for await (const group of groups(project, strongly, range)) days.push(...group);
      return days;
    },

    newest: (project) => groups(project, false, { from: null, to: null }, 1 + yearsAtATime),

    forget: async (project, days) => {
      for (const [year, own] of Map.groupBy(days, yearOf)) {
        await ifConditionHolds(
          client.send(
            new UpdateCommand({
              TableName,
              Key: yearKey(project, year),
              UpdateExpression: "DELETE n :numbers",
              ConditionExpression: "attribute_exists(n)",
              ExpressionAttributeValues: { ":numbers": new Set(own.map(numberOfDay)) },
            }),
          ),
        );
      }
      await ifConditionHolds(
        client.send(
          new UpdateCommand({
            TableName,
            Key: daysKey(project),
            UpdateExpression: "DELETE days :days",
            ConditionExpression: "attribute_exists(days)",
            ExpressionAttributeValues: { ":days": new Set(days) },
          }),
        ),
      );
    },
  };
};
