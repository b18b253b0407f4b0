import { type IncomingHttpHeaders, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { type Headers, requestTimeout } from "./client.ts";
import { decodedText } from "./decoded-text.ts";
import type { Service } from "./service.ts";

/** A reply as received on the wire. */
interface RawReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** The decompressed body. */
  readonly text: string;
}

/** Sends a request without a client that decompresses replies. */
export const rawReply = async (
  { baseUrl }: Pick<Service, "baseUrl">,
  path: string,
  headers: Headers,
  method = "GET",
): Promise<RawReply> => {
  const sentHeaders = Object.entries(headers).filter(([, value]) => value !== undefined);
  const { promise, resolve, reject } = Promise.withResolvers<RawReply>();
  const options = {
    method,
    headers: Object.fromEntries(sentHeaders) as Record<string, string>,
    signal: AbortSignal.timeout(requestTimeout),
  };
  request(`${baseUrl}${path}`, options, (response) => {
    const readReply = async (): Promise<RawReply> => {
      const bytes = await buffer(response);
      const text = decodedText(bytes, response.headers["content-encoding"]);
      return { status: response.statusCode ?? 0, headers: response.headers, bytes, text };
    };
    readReply().then(resolve, reject);
  })
    .on("error", reject)
    .end();
  return promise;
};
