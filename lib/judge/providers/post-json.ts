import { parsed } from "./reply-fields.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { NoCredential, notJson, refused, timedOut, unreachableBy } from "./call-failure.ts";
import type { Failure } from "./provider.ts";

/** The URL of a path below a base URL, which may end in a slash or not. */
export const urlBelow = (base: string, path: string): URL => new URL(path, base.endsWith("/") ? base : `${base}/`);

/** A POST of JSON. */
export interface Post {
  readonly url: URL;
  readonly body: unknown;
  /** The headers to send this body with; may reject with `NoCredential`. */
  readonly headers: (body: string) => Promise<Readonly<Record<string, string>>>;
  /** Milliseconds after which the call is given up. */
  readonly timeout: number;
}

/** The reply to a call that went well, or what became of it. */
export type Posted = { readonly kind: "reply"; readonly reply: unknown } | Failure;

/** The first of some calls that failed. */
export const firstFailure = (posted: readonly Posted[]): Failure | undefined =>
  posted.find((one) => one.kind === "failure");

/** The reply to a call; null of one that failed. */
export const replyOf = (posted: Posted): unknown => (posted.kind === "reply" ? posted.reply : null);

/** Makes one call without the SDK, for what does not speak its protocol. Never rejects for what the other side does. */
export const postJson = async (post: Post, now: () => number): Promise<Posted> => {
  const signal = AbortSignal.timeout(post.timeout);
  const body = JSON.stringify(post.body);
  try {
    const headers = { "content-type": "application/json", ...(await post.headers(body)) };
    const response = await boundedFetch(post.url, { method: "POST", headers, body, signal });
    const reply = parsed(await response.text());
    if (!response.ok) return refused(response.status, response.headers, reply, now());
    return reply === undefined ? notJson : { kind: "reply", reply };
  } catch (error) {
    if (error instanceof NoCredential) return error.failure;
    return signal.aborted ? timedOut : unreachableBy(error);
  }
};
