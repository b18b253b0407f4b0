import { hash, randomBytes, randomUUID } from "node:crypto";
import { canonicalUuid, uuidPattern } from "../text.ts";
import { namedUuid, uuidOfHash } from "../uuid.ts";

/** Derives a UUID (version 8) from texts: equal lists of texts give the same UUID, different lists different ones. */
export const derivedUuid = (...parts: readonly string[]): string =>
  uuidOfHash(hash("sha256", JSON.stringify(parts), "buffer"), 8);

/**
 * Returns the UUID of something that another product identifies by any text: a UUID is kept, and another text gives the UUID (version 5)
 * that it names in the namespace of the project.
 */
export const uuidInProject = (projectId: string, id: string): string =>
  uuidPattern.test(id) ? canonicalUuid(id) : namedUuid(projectId, id);

/** Returns the text by which another product identifies something, to be kept beside the UUID that it names; null for a UUID. */
export const externalIdOf = (id: string): string | null => (uuidPattern.test(id) ? null : id);

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
export const hashApiKey = (key: string): string => hash("sha256", key);
