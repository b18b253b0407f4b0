import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const hashOf = (text: string | Uint8Array): string =>
  createHash("sha256").update(text).digest("base64url").slice(0, 22);

/** The tag of a text. It is weak: the gateway compresses what is sent, and the tag stays. */
export const tagOfText = (text: string): string => `W/"${hashOf(text)}"`;

let code: string | undefined;

/** Of the function's own code: what its next version makes of the same document has another tag. */
const codeHash = (): string => (code ??= hashOf(readFileSync(new URL(import.meta.url))));

/** The tag of what follows from some JSON values and the code alone. */
export const tagOfIdentity = (identity: readonly unknown[]): string =>
  tagOfText(JSON.stringify([codeHash(), ...identity]));

/** What a request says of the documents that its sender has. */
export interface Precondition {
  /** Whether it names tags. */
  readonly namesTags: boolean;
  /** Whether its sender has what a tag stands for. */
  readonly has: (tag: string) => boolean;
  /** Whether the sender has something, whatever it is (`*`). */
  readonly hasAny: boolean;
}

/** Reads the values of `If-None-Match`. Tags are compared weakly, as the header asks for. */
export const preconditionOf = (sent: readonly string[]): Precondition => {
  const text = sent.join(",");
  const tags = new Set([...text.matchAll(/(?:W\/)?("[^"]*")/gu)].map(([, opaque]) => `W/${opaque}`));
  return { namesTags: tags.size > 0, has: (tag) => tags.has(tag), hasAny: text.trim() === "*" };
};
