import * as v from "valibot";
import { exportedTables } from "../../domain/lake/tables.ts";

/** Schema of a file of the lake, as manifests and snapshots store it. */
export const lakeFile = v.object({
  table: v.picklist(exportedTables),
  /** Key of the object in the bucket. */
  key: v.string(),
  rows: v.number(),
  /** Spans that its traces have, as their rows count them; absent for other tables than `traces`, and an earlier file. */
  spans: v.optional(v.number()),
  bytes: v.number(),
  /** SHA-256 of the object, hexadecimal. */
  sha256: v.string(),
  /** Number of its columns: those of its table when it was written; 0 for an earlier file. */
  columns: v.optional(v.number(), 0),
});

/** A file of the lake. */
export type LakeFile = Readonly<v.InferOutput<typeof lakeFile>>;
