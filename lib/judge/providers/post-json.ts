import { parsed } from "./reply-fields.ts";
import { boundedPost, type PostBody } from "./bounded-post.ts";
import { NoCredential, notJson, refused, timedOut, unreachableBy } from "./call-failure.ts";
import type { Failure } from "./provider.ts";

/** The URL of a path below a base URL, which may end in a slash or not. */
export const urlBelow = (base: string, path: string): URL => new URL(path, base.endsWith("/") ? base : `${base}/`);

/** A POST of JSON. */
export interface Post {
  readonly url: URL;
  /** JSON. */
  readonly body: PostBody;
  /** The headers to send it with; may reject with `NoCredential`. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  /** Milliseconds after which the call is given up. */
  readonly timeout: number;
  /** What a refusal's status should be, where a provider has another one than all others; as it is when absent. */
  readonly statusOf?: ((status: number, reply: string) => number) | undefined;
}

/** The reply to a call that went well, or what became of it. */
export type Posted = { readonly kind: "reply"; readonly reply: unknown } | Failure;

/** The first of some calls that failed. */
export const firstFailure = (posted: readonly Posted[]): Failure | undefined =>
  posted.find((one) => one.kind === "failure");

/** The reply to a call; null of one that failed. */
export const replyOf = (posted: Posted): unknown => (posted.kind === "reply" ? posted.reply : null);

const asItIs = (status: number): number => status;

/** Makes one call. Never rejects for what the other side does. */
export const postJson = async (post: Post, now: () => number): Promise<Posted> => {
  const { url, body, timeout, statusOf = asItIs } = post;
  const signal = AbortSignal.timeout(timeout);
  try {
    const given = { "content-type": "application/json", ...(await post.headers()) };
    const { status, headers, text } = await boundedPost({ url, headers: given, body, signal });
    const reply = parsed(text);
    if (status < 200 || status > 299) return refused(statusOf(status, text), headers, reply, now());
    return reply === undefined ? notJson : { kind: "reply", reply };
  } catch (error) {
    if (error instanceof NoCredential) return error.failure;
    return signal.aborted ? timedOut : unreachableBy(error);
  }
};
