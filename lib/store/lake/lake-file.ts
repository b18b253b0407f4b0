import * as v from "valibot";

/** Schema of a file of the lake, as manifests and snapshots store it. */
export const lakeFile = v.object({
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
export type LakeFile = Readonly<v.InferOutput<typeof lakeFile>>;
