import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const hashOf = (text: string | Uint8Array): string =>
  createHash("sha256").update(text).digest("base64url").slice(0, 22);

/** Computes the ETag of a text. The ETag is weak, because API Gateway may compress the reply. */
export const tagOfText = (text: string): string => `W/"${hashOf(text)}"`;

let code: string | undefined;

/** Hash of the function's code, so that another version of the code gives other ETags. */
const codeHash = (): string => (code ??= hashOf(readFileSync(new URL(import.meta.url))));

/** Computes the ETag of an answer that is determined by JSON values and the code. */
export const tagOfIdentity = (identity: readonly unknown[]): string =>
  tagOfText(JSON.stringify([codeHash(), ...identity]));

/** Parsed `If-None-Match` header of a request. */
export interface Precondition {
  /** True if the header lists ETags. */
  readonly hasTags: boolean;
  /** Returns true if the header lists the ETag. */
  readonly has: (tag: string) => boolean;
  /** True if the header is `*`, which matches any existing document. */
  readonly isWildcard: boolean;
}

/** Parses the values of `If-None-Match`. ETags are compared weakly (RFC 9110, 13.1.2). */
export const preconditionOf = (values: readonly string[]): Precondition => {
  const text = values.join(",");
  const tags = new Set([...text.matchAll(/(?:W\/)?("[^"]*")/gu)].map(([, opaque]) => `W/${opaque}`));
  return { hasTags: tags.size > 0, has: (tag) => tags.has(tag), isWildcard: text.trim() === "*" };
};
