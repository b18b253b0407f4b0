import { createHash } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { DeleteCommand, PutCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Contribution } from "../../domain/traces/totals.ts";
import type { Database } from "../database.ts";
import { kept } from "../expiry.ts";
import { packModelUsage, unpackModelUsage } from "./codec.ts";
import { hourName, type HourKey } from "./keys.ts";
import type { HourRow } from "./rows.ts";

/** Partition of what was read from the documents of a project's traces. */
export const documentUsagePartition = (project: string): string => `${project}#document-usage`;

/** Bytes of one item, which stays below DynamoDB's 400 KB. */
const partBytes = 380_000;

/** An hour that stands still for so long is read from its documents when it is computed again. */
const keptSeconds = 2 * 86_400;

const item = v.object({ sk: v.string(), n: v.number(), b: v.instance(Uint8Array) });

/** Orders as the rows of the hour do, and is another for another state of the row. */
const nameOf = ({ trace, packed }: HourRow): string =>
  `${trace.key.toString("hex")}#${createHash("sha256").update(packed).digest("hex").slice(0, 24)}`;

const pack = (contributions: readonly Contribution[]): Buffer => {
  const hours = Map.groupBy(contributions, ({ hour }) => hour);
  return deflateRawSync(packModelUsage([...hours].map(([hour, models]) => [hour, models] as const)));
};

const unpack = (bytes: Uint8Array): readonly Contribution[] =>
  unpackModelUsage(inflateRawSync(bytes)).flatMap(([hour, models]) => models.map((usage) => ({ hour, ...usage })));

/** What is known of one document. */
interface Known {
  readonly name: string;
  readonly sorts: readonly string[];
  /** Null when a part is missing. */
  readonly contributions: () => readonly Contribution[] | null;
}

/**
 * What the spans of traces used, by model and hour, where it takes more bytes than their rows have room for: as it was read
 * from their documents. It makes a computation that was broken off go on where it ended, and the next one cost what changed.
 */
export const documentUsage = ({ client, table }: Database, now: () => number) => {
  const TableName = table("aggregates");

  const stored = async function* (key: HourKey): AsyncGenerator<Known> {
    const prefix = `${hourName(key)}#`;
    const pages = paginateQuery(
      { client },
      {
        TableName,
        KeyConditionExpression: "pk = :pk AND begins_with(sk, :prefix)",
        ExpressionAttributeValues: { ":pk": documentUsagePartition(key.project), ":prefix": prefix },
        ConsistentRead: true,
      },
    );
    let parts: v.InferOutput<typeof item>[] = [];
    const nameIn = (sort: string): string => sort.slice(prefix.length, sort.lastIndexOf("#"));
    const known = (): Known => {
      const [found, first] = [parts, parts[0]];
      return {
        name: nameIn(first?.sk ?? ""),
        sorts: found.map(({ sk }) => sk),
        contributions: () => (found.length === first?.n ? unpack(Buffer.concat(found.map(({ b }) => b))) : null),
      };
    };
    for await (const { Items = [] } of pages) {
      for (const each of Items.map((value) => v.parse(item, value))) {
        if (parts.length > 0 && nameIn(parts[0]?.sk ?? "") !== nameIn(each.sk)) {
          yield known();
          parts = [];
        }
        parts.push(each);
      }
    }
    if (parts.length > 0) yield known();
  };

  return {
    /** Goes along the rows of an hour, which are asked for in their order. */
    along: (key: HourKey) => {
      const all = stored(key);
      const stale: string[] = [];
      let next: Known | null | undefined;
      return {
        /** What is known of a row's document; null when it has to be read. */
        of: async (row: HourRow): Promise<readonly Contribution[] | null> => {
          const name = nameOf(row);
          for (;;) {
            const known = next ?? (await all.next()).value ?? null;
            next = known;
            if (known === null || known.name > name) return null;
            next = undefined;
            if (known.name === name) return known.contributions();
            stale.push(...known.sorts);
          }
        },
        /**
         * Takes away what is known of documents that no row has any more, once all rows were asked for.
         *
         * @returns whether there was time for all of it, until an instant in epoch milliseconds.
         */
        forget: async (until: number): Promise<boolean> => {
          if (next !== undefined && next !== null) stale.push(...next.sorts);
          for await (const { sorts } of all) stale.push(...sorts);
          for (const sk of stale) {
            if (now() >= until) return false;
            const Key = { pk: documentUsagePartition(key.project), sk };
            await client.send(new DeleteCommand({ TableName, Key }));
          }
          return true;
        },
      };
    },

    /** Remembers what was read from the document of a row. */
    remember: async (key: HourKey, row: HourRow, contributions: readonly Contribution[]): Promise<void> => {
      const bytes = pack(contributions);
      const n = Math.ceil(bytes.length / partBytes);
      const latest = Math.floor(now() / 1000) + keptSeconds;
      const ttl = key.expiry === kept ? latest : Math.min(latest, Date.parse(key.expiry) / 1000);
      for (let part = 0; part < n; part += 1) {
        const sk = `${hourName(key)}#${nameOf(row)}#${String(part).padStart(3, "0")}`;
        const b = bytes.subarray(part * partBytes, (part + 1) * partBytes);
        await client.send(
          new PutCommand({ TableName, Item: { pk: documentUsagePartition(key.project), sk, n, b, ttl } }),
        );
      }
    },
  };
};
