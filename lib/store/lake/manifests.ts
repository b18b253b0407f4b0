import { randomUUID } from "node:crypto";
import * as v from "valibot";
import type { Instant } from "../../domain/instant.ts";
import type { Database } from "../../dynamo/database.ts";
import { ifConditionHolds } from "../../dynamo/failure.ts";
import { ifAbsent, itemsOf } from "../../dynamo/items.ts";
import { manifestPartition } from "./keys.ts";
import { lakeFile, type LakeFile } from "./lake-file.ts";
import { dayPart, type DayPart } from "./day-parts.ts";

const item = v.object({
  sk: v.string(),
  /** Since when the day, or its part before `end`, is closed to unmarked changes, epoch milliseconds. */
  since: v.number(),
  /** End of the part of an open day that is closed for its index of words; null for the whole day. */
  end: v.optional(v.nullable(v.string()), null),
  /** Number of writes of the manifest after the first. */
  generation: v.number(),
  /** Random id of the writer of the generation. */
  writer: v.string(),
  /** When the reading of the generation's rows began, epoch milliseconds. */
  readAt: v.number(),
  /** When the first of the generation's traces expires, epoch milliseconds; null if none does. */
  expiresAt: v.nullable(v.number()),
  files: v.array(lakeFile),
  words: v.optional(v.array(dayPart), []),
  spans: v.optional(v.nullable(v.array(dayPart)), null),
});

/**
 * Which files are a project's UTC day: all those of one generation. A day is open without a manifest, and with an `end` of its index of
 * words. One without files is closing else: from now on each change is marked, but stream workers may not know yet.
 */
export interface Manifest extends Readonly<Omit<v.InferOutput<typeof item>, "sk" | "files" | "words" | "spans">> {
  readonly project: string;
  readonly day: string;
  readonly files: readonly LakeFile[];
  /** Parts of the index of words, in their order, without gaps from the start of the day on. */
  readonly words: readonly DayPart[];
  /** Parts of the files of spans, as those of words; null while no export has asked for the spans of the day. */
  readonly spans: readonly DayPart[] | null;
}

/** What a writer publishes: what is new in the next generation of a day's files. */
type Generation = Partial<Pick<Manifest, "since" | "end" | "readAt" | "expiresAt" | "files" | "words" | "spans">>;

/** What is known of how far a day is closed. */
export const closingState = (manifest: Manifest | undefined): "open" | "closing" | "closed" => {
  if (manifest === undefined || manifest.end !== null) return "open";
  return manifest.files.length === 0 ? "closing" : "closed";
};

export const lakeManifests = (database: Database, now: () => number = Date.now) => {
  const aggregates = itemsOf(database, "aggregates");
  const keyOf = (project: string, day: string) => ({ pk: manifestPartition(project), sk: day });
  const manifestOf = (project: string, value: unknown): Manifest => {
    const { sk: day, ...fields } = v.parse(item, value);
    return { project, day, ...fields };
  };

  const get = async (project: string, day: string, strongly = true): Promise<Manifest | null> => {
    const value = await aggregates.get(keyOf(project, day), { strongly });
    return value === undefined ? null : manifestOf(project, value);
  };

  return {
    /** Reads the manifest of a day; null if the day is open. */
    get,

    /** Lists the manifests of a project's days, newest first. @param from first day. @param to last day. */
    list: async (project: string, from: string, to: string, strongly = false): Promise<readonly Manifest[]> => {
      const query = { pk: manifestPartition(project), between: [from, to] as const, strongly, descending: true };
      return (await aggregates.list(query)).map((value) => manifestOf(project, value));
    },

    /** True if a day of the project has been closed, or is closing. */
    hasAny: async (project: string): Promise<boolean> =>
      (await aggregates.page({ pk: manifestPartition(project), strongly: false, attributes: "sk", limit: 1 })).items
        .length > 0,

    /** Begins to close a day without a manifest, or its part before `end`. */
    close: async (project: string, day: string, end: Instant | null): Promise<void> => {
      const manifest = { ...keyOf(project, day), since: now(), end, generation: 0, writer: "" };
      const nothing = { readAt: 0, expiresAt: null, files: [], words: [], spans: null };
      await ifConditionHolds(aggregates.put({ ...manifest, ...nothing }, { when: ifAbsent }));
    },

    /**
     * Publishes the next generation of a day: the one write that makes its files the day.
     *
     * @param before manifest that the writer began with.
     * @returns the manifest; null if another writer has published meanwhile, or the project was deleted: no later attempt can succeed
     *   either.
     */
    publish: async (before: Manifest, next: Generation): Promise<Manifest | null> => {
      const { project, day, ...fields } = before;
      const manifest = { ...fields, ...next, generation: before.generation + 1, writer: randomUUID() };
      const put = aggregates.put(
        { ...keyOf(project, day), ...manifest },
        { when: "#generation = :before", values: { ":before": before.generation } },
      );
      // The reply of an earlier attempt of the same write may have been lost.
      const isPublished =
        (await ifConditionHolds(put)) !== null || (await get(project, day))?.writer === manifest.writer;
      return isPublished ? { project, day, ...manifest } : null;
    },
  };
};
