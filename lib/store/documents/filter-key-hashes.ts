import { hash } from "node:crypto";
import { ByteReader } from "../../dynamo/bytes/reader.ts";
import { byteWriter } from "../../dynamo/bytes/writer.ts";

/**
 * Returns a span filter key as a 4-byte hash. At 10,000 spans, 1 in 400,000 new keys has the same hash as a stored key;
 * the trace's document is then read.
 */
export const filterKeyHash = (key: string): number => hash("sha256", key, "buffer").readUInt32BE();

/** Packs hashes for storage: sorted, each as its distance from the one before; 3 bytes each for 10,000 hashes. */
export const packHashes = (hashes: Iterable<number>): Buffer => {
  const writer = byteWriter();
  let last = 0;
  for (const each of Uint32Array.from(new Set(hashes)).toSorted()) {
    writer.whole(each - last);
    last = each;
  }
  return writer.finish();
};

/** Unpacks hashes packed by `packHashes`. */
export const unpackHashes = (bytes: Uint8Array): ReadonlySet<number> => {
  const reader = new ByteReader(bytes);
  const hashes = new Set<number>();
  for (let last = 0; reader.at < reader.length; hashes.add(last)) last += reader.whole();
  return hashes;
};
