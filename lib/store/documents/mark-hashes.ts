import { hash } from "node:crypto";
import { ByteReader } from "../bytes/reader.ts";
import { byteWriter } from "../bytes/writer.ts";

/**
 * A mark as 4 bytes: one that a trace does not have is taken for one that it has once in 400,000 times at 10,000 spans, and
 * then the document is read.
 */
export const markHash = (mark: string): number => hash("sha256", mark, "buffer").readUInt32BE();

/** Hashes as they are stored, each as its distance from the one before: 3 bytes of each of 10,000. */
export const packHashes = (hashes: Iterable<number>): Buffer => {
  const writer = byteWriter();
  let last = 0;
  for (const each of Uint32Array.from(new Set(hashes)).toSorted()) {
    writer.whole(each - last);
    last = each;
  }
  return writer.finish();
};

export const unpackHashes = (bytes: Uint8Array): ReadonlySet<number> => {
  const reader = new ByteReader(bytes);
  const hashes = new Set<number>();
  for (let last = 0; reader.at < reader.length; hashes.add(last)) last += reader.whole();
  return hashes;
};
