import { createHash, randomBytes, randomUUID } from "node:crypto";

const asUuid = (hash: Buffer): string => {
  const bytes = Buffer.from(hash.subarray(0, 16));
  // Version 8 (RFC 9562): the bits are ours; variant 10.
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
};

/** A UUID (version 8) that is the same whenever the parts are: no two lists of parts share one. */
export const derivedUuid = (...parts: readonly string[]): string =>
  asUuid(createHash("sha256").update(JSON.stringify(parts)).digest());

export const randomId = (): string => randomUUID();

const keyPrefix = "sk_as_";

/** Marks keys that are held to less: code that knows no scopes takes such a key for none, never for one that may do all. */
const scopeMark = "s_";

/** A new API key: 256 random bits behind a prefix that secret scanners can know. */
export const newApiKey = (isScoped = false): string =>
  `${keyPrefix}${isScoped ? scopeMark : ""}${randomBytes(32).toString("hex")}`;

/** Whether a text is meant for an API key, well formed or not. */
export const looksLikeKey = (text: string): boolean => text.startsWith(keyPrefix);

/** Whether a text has an API key's form; what has not never reaches the database. */
export const looksLikeApiKey = (text: string): boolean => /^sk_as_(?:s_)?[0-9a-f]{64}$/.test(text);

/** What is stored of a key: its SHA-256, in hex. The key is random, so a salt would add nothing. */
export const hashApiKey = (key: string): string => createHash("sha256").update(key).digest("hex");
