import { createHash, randomBytes, randomUUID } from "node:crypto";
import { canonicalUuid, uuidPattern } from "../text.ts";

/** Formats 32 hex digits as a UUID with the same digits. */
export const formatUuid = (hex: string): string =>
  [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");

/** Forms a UUID of a version of RFC 9562 from a hash. */
const asUuid = (hash: Buffer, version: 5 | 8): string => {
  const bytes = Buffer.from(hash.subarray(0, 16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | (version << 4);
  // Variant 10.
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return formatUuid(bytes.toString("hex"));
};

/** Derives a UUID (version 8) from texts: equal lists of texts give the same UUID, different lists different ones. */
export const derivedUuid = (...parts: readonly string[]): string =>
  asUuid(createHash("sha256").update(JSON.stringify(parts)).digest(), 8);

/**
 * Returns the UUID of something that another product identifies by any text: a UUID is kept, and another text gives the UUID (version 5)
 * that it names in the namespace of the project.
 */
export const uuidInProject = (projectId: string, id: string): string =>
  uuidPattern.test(id)
    ? canonicalUuid(id)
    : asUuid(createHash("sha1").update(projectId.replaceAll("-", ""), "hex").update(id).digest(), 5);

export const randomId = (): string => randomUUID();

const keyPrefix = "sk_as_";

/**
 * Infix of keys with a restricted scope: a release without scopes rejects such a key instead of granting it full
 * access.
 */
const scopedKeyInfix = "s_";

/** Creates an API key: 256 random bits behind a prefix that secret scanners recognize. */
export const newApiKey = (isScoped = false): string =>
  `${keyPrefix}${isScoped ? scopedKeyInfix : ""}${randomBytes(32).toString("hex")}`;

/** True if a text begins like an API key, well formed or not. */
export const hasKeyPrefix = (text: string): boolean => text.startsWith(keyPrefix);

/** True if a text is a well-formed API key; other texts are rejected without reading the database. */
export const isWellFormedApiKey = (text: string): boolean => /^sk_as_(?:s_)?[0-9a-f]{64}$/.test(text);

/** Returns the stored form of an API key: its SHA-256 in hex. The key is random, so a salt would add nothing. */
export const hashApiKey = (key: string): string => createHash("sha256").update(key).digest("hex");
