import { createHash } from "node:crypto";

/** Formats 32 hex digits as a UUID with the same digits. */
export const formatUuid = (hex: string): string =>
  [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");

/** Forms a UUID of a version of RFC 9562 from a hash. */
export const uuidOfHash = (hash: Buffer, version: 5 | 8): string => {
  const bytes = Buffer.from(hash.subarray(0, 16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | (version << 4);
  // Variant 10.
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return formatUuid(bytes.toString("hex"));
};

/** Returns the UUID (version 5) of a name in the namespace of another UUID. */
export const namedUuid = (namespace: string, name: string): string =>
  uuidOfHash(createHash("sha1").update(namespace.replaceAll("-", ""), "hex").update(name).digest(), 5);
