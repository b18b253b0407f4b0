import { parseJson } from "./reply-fields.ts";
import { boundedPost, type PostBody } from "./bounded-post.ts";
import { NoCredential, notJsonFailure, failureOfReply, timeoutFailure, connectionFailure } from "./call-failure.ts";
import type { Failure } from "./provider.ts";

/** Returns the URL of a path below a base URL, which may end in a slash. */
export const urlBelow = (base: string, path: string): URL => new URL(path, base.endsWith("/") ? base : `${base}/`);

/** A POST request with a JSON body. */
export interface Post {
  readonly url: URL;
  /** JSON text. */
  readonly body: PostBody;
  /** Returns the authentication headers. @throws NoCredential when no credential can be obtained. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  /** Time-out of the call, milliseconds. */
  readonly timeout: number;
  /** Maps the status of a refusal for a provider that uses an unusual one; unchanged when absent. */
  readonly statusOf?: ((status: number, reply: string) => number) | undefined;
}

/** The reply of a successful call, or its failure. */
export type PostResult = { readonly kind: "reply"; readonly reply: unknown } | Failure;

/** Returns the first failure among results. */
export const firstFailure = (results: readonly PostResult[]): Failure | undefined =>
  results.find((result) => result.kind === "failure");

/** Returns the reply of a call; null for a failed one. */
export const replyOf = (result: PostResult): unknown => (result.kind === "reply" ? result.reply : null);

const sameStatus = (status: number): number => status;

/** Makes one call, without retries. Errors of the server and of the connection become failures. */
export const postJson = async (post: Post, now: () => number): Promise<PostResult> => {
  const { url, body, timeout, statusOf = sameStatus } = post;
  const signal = AbortSignal.timeout(timeout);
  try {
    const requestHeaders = { "content-type": "application/json", ...(await post.headers()) };
    const { status, headers, text } = await boundedPost({ url, headers: requestHeaders, body, signal });
    const reply = parseJson(text);
    if (status < 200 || status > 299) return failureOfReply(statusOf(status, text), headers, reply, now());
    return reply === undefined ? notJsonFailure : { kind: "reply", reply };
  } catch (error) {
    if (error instanceof NoCredential) return error.failure;
    return signal.aborted ? timeoutFailure : connectionFailure(error);
  }
};
