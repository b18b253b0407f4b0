import * as v from "valibot";
import type { Database } from "../../dynamo/database.ts";
import { ifConditionHolds } from "../../dynamo/failure.ts";
import { ifAbsent, itemsOf } from "../../dynamo/items.ts";
import { manifestPartition } from "./keys.ts";

const file = v.object({
  /** Name of the table. */
  table: v.string(),
  /** Key of the object in the bucket. */
  key: v.string(),
  rows: v.number(),
  bytes: v.number(),
  /** SHA-256 of the object, hexadecimal. */
  sha256: v.string(),
});

/** A file of the lake. */
export type LakeFile = Readonly<v.InferOutput<typeof file>>;

const item = v.object({
  sk: v.string(),
  /** Since when the day is closed to unmarked changes, epoch milliseconds. */
  since: v.number(),
  /** Number of the generation of files; 0 while the day has none. */
  generation: v.number(),
  /** Random id of the writer of the generation. */
  writer: v.string(),
  files: v.array(file),
});

/**
 * Which files are a project's UTC day: all those of one generation. A day without a manifest is open. One of generation 0 is
 * closing: from now on each change is marked, but stream workers may not know yet.
 */
export interface Manifest {
  readonly project: string;
  readonly day: string;
  readonly since: number;
  readonly generation: number;
  readonly writer: string;
  readonly files: readonly LakeFile[];
}

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
    list: async (project: string, from: string, to: string): Promise<readonly Manifest[]> => {
      const query = { pk: manifestPartition(project), between: [from, to] as const, strongly: false, descending: true };
      return (await aggregates.list(query)).map((value) => manifestOf(project, value));
    },

    /** Begins to close an open day; a closing or closed day stays as it is. */
    close: async (project: string, day: string): Promise<void> => {
      const manifest = { ...keyOf(project, day), since: now(), generation: 0, writer: "", files: [] };
      await ifConditionHolds(aggregates.put(manifest, { when: ifAbsent }));
    },

    /**
     * Publishes the next generation of a day: the one write that makes its files the day.
     *
     * @param before manifest that the writer began with.
     * @returns false if another writer has published meanwhile, or the project was deleted: no later attempt can succeed either.
     */
    publish: async (
      { project, day, since, generation }: Manifest,
      writer: string,
      files: readonly LakeFile[],
    ): Promise<boolean> => {
      const manifest = { ...keyOf(project, day), since, generation: generation + 1, writer, files };
      const values = { ":before": generation };
      if ((await ifConditionHolds(aggregates.put(manifest, { when: "#generation = :before", values }))) !== null)
        return true;
      // The reply of an earlier attempt of the same write may have been lost.
      return (await get(project, day))?.writer === writer;
    },
  };
};
