import { createHash } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import * as v from "valibot";
import type { Contribution } from "../../domain/traces/totals.ts";
import type { Database } from "../../dynamo/database.ts";
import { expiryTime } from "../../dynamo/expiry.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { packModelUsage, unpackModelUsage } from "./codec.ts";
import { hourName, type HourKey } from "./keys.ts";
import type { HourRow } from "./rows.ts";

/** Partition of the cached usage of a project's trace documents. */
export const documentUsagePartition = (project: string): string => `${project}#document-usage`;

/** Max bytes of one item, below DynamoDB's limit of 400 KB. */
const maxPartBytes = 380_000;

/** Seconds that cached usage is stored; an hour that is computed later reads its documents again. */
const cacheSeconds = 2 * 86_400;

const item = v.object({ sk: v.string(), n: v.number(), b: v.instance(Uint8Array) });

/**
 * Returns a key for the current state of a row: sorts like the rows of the hour, and changes whenever the row changes.
 */
const stateName = ({ trace, packed }: HourRow): string =>
  `${trace.key.toString("hex")}#${createHash("sha256").update(packed).digest("hex").slice(0, 24)}`;

const pack = (contributions: readonly Contribution[]): Buffer => {
  const hours = Map.groupBy(contributions, ({ hour }) => hour);
  return deflateRawSync(packModelUsage([...hours].map(([hour, models]) => [hour, models] as const)));
};

const unpack = (bytes: Uint8Array): readonly Contribution[] =>
  unpackModelUsage(inflateRawSync(bytes)).flatMap(([hour, models]) => models.map((usage) => ({ hour, ...usage })));

/** Cached usage of one trace document. */
interface CachedUsage {
  readonly name: string;
  readonly sorts: readonly string[];
  /** Unpacks the usage by model and hour; null when a stored part of it is missing. */
  readonly contributions: () => readonly Contribution[] | null;
}

/**
 * Caches the usage by model and hour of traces' spans, as read from documents, for traces whose rows have no room for
 * it. With the cache an interrupted computation continues where it stopped, and a repeated one only reads changed
 * documents.
 */
export const documentUsageCache = (database: Database, now: () => number) => {
  const aggregates = itemsOf(database, "aggregates");

  const cachedUsages = async function* (key: HourKey): AsyncGenerator<CachedUsage> {
    const prefix = `${hourName(key)}#`;
    let parts: v.InferOutput<typeof item>[] = [];
    const nameIn = (sort: string): string => sort.slice(prefix.length, sort.lastIndexOf("#"));
    const cachedUsage = (): CachedUsage => {
      const [itemParts, first] = [parts, parts[0]];
      return {
        name: nameIn(first?.sk ?? ""),
        sorts: itemParts.map(({ sk }) => sk),
        contributions: () =>
          itemParts.length === first?.n ? unpack(Buffer.concat(itemParts.map(({ b }) => b))) : null,
      };
    };
    for await (const value of aggregates.query({ pk: documentUsagePartition(key.project), prefix })) {
      const part = v.parse(item, value);
      if (parts.length > 0 && nameIn(parts[0]?.sk ?? "") !== nameIn(part.sk)) {
        yield cachedUsage();
        parts = [];
      }
      parts.push(part);
    }
    if (parts.length > 0) yield cachedUsage();
  };

  return {
    /** Returns a reader of the cached usage of an hour, whose rows must be requested in order. */
    readerOf: (key: HourKey) => {
      const usages = cachedUsages(key);
      const stale: string[] = [];
      let next: CachedUsage | null | undefined;
      return {
        /** Reads the cached usage of a row's document; null when the document must be read. */
        of: async (row: HourRow): Promise<readonly Contribution[] | null> => {
          const name = stateName(row);
          for (;;) {
            const usage = next ?? (await usages.next()).value ?? null;
            next = usage;
            if (usage === null || usage.name > name) return null;
            next = undefined;
            if (usage.name === name) return usage.contributions();
            stale.push(...usage.sorts);
          }
        },
        /**
         * Deletes cached usage that belongs to no current row. Call it after all rows were requested.
         *
         * @returns false when the deadline `until` (epoch milliseconds) passed first.
         */
        deleteStale: async (until: number): Promise<boolean> => {
          if (next !== undefined && next !== null) stale.push(...next.sorts);
          for await (const { sorts } of usages) stale.push(...sorts);
          for (const sk of stale) {
            if (now() >= until) return false;
            await aggregates.remove({ pk: documentUsagePartition(key.project), sk });
          }
          return true;
        },
      };
    },

    /** Caches the usage that was read from the document of a row. */
    store: async (key: HourKey, row: HourRow, contributions: readonly Contribution[]): Promise<void> => {
      const bytes = pack(contributions);
      const n = Math.ceil(bytes.length / maxPartBytes);
      const latest = Math.floor(now() / 1000) + cacheSeconds;
      const ttl = Math.min(latest, expiryTime(key.expiry) / 1000);
      for (let part = 0; part < n; part += 1) {
        const sk = `${hourName(key)}#${stateName(row)}#${String(part).padStart(3, "0")}`;
        const b = bytes.subarray(part * maxPartBytes, (part + 1) * maxPartBytes);
        await aggregates.put({ pk: documentUsagePartition(key.project), sk, n, b, ttl });
      }
    },
  };
};
