import { Agent as PlainAgent, request as requestPlain, type IncomingMessage } from "node:http";
import { Agent as TlsAgent, request as requestTls } from "node:https";
import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

/** Maximum bytes read from a reply, far more than any verdict has. */
const maxBytes = 1024 * 1024;

const plainHttp = { request: requestPlain, agent: new PlainAgent({ keepAlive: true }) };
const tls = { request: requestTls, agent: new TlsAgent({ keepAlive: true }) };

const decoders: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Decompresses a reply: some servers compress although the request has no `Accept-Encoding` header. */
const decode = (response: IncomingMessage): Readable => {
  const decoder = decoders[response.headers["content-encoding"]?.toLowerCase() ?? ""];
  // `pipeline` passes an error of the response on to the decoder, whose reader handles it.
  return decoder === undefined ? response : pipeline(response, decoder(), () => {});
};

/** Decoder that removes a byte order mark. */
const utf8 = new TextDecoder();

const readAtMost = (stream: Readable, limit: number): Promise<string> => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  stream
    .on("data", (chunk: Uint8Array) => {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      if (bytes >= limit) stream.destroy();
    })
    .on("error", reject)
    .on("close", () => resolve(utf8.decode(Buffer.concat(chunks))));
  return promise;
};

/** User agent of calls to providers: package and version. */
const userAgent = "assay/0.1.0";

/** UTF-8 body of a request: a text, or consecutive parts. */
export type PostBody = string | readonly Uint8Array[];

/** A POST request to a provider. */
interface BoundedPost {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: PostBody;
  readonly signal: AbortSignal;
}

const sendRequest = ({ url, headers, body, signal }: BoundedPost): Promise<IncomingMessage> => {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { request, agent } = url.protocol === "https:" ? tls : plainHttp;
  const parts = typeof body === "string" ? [Buffer.from(body)] : body;
  const length = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const options = {
    method: "POST",
    agent,
    signal,
    headers: { ...headers, "content-length": length, "user-agent": userAgent },
  };
  const clientRequest = request(url, options).on("response", resolve).on("error", reject);
  // Corking sends all parts of the body in one write without copying the transcript for each question.
  clientRequest.cork();
  for (const part of parts) clientRequest.write(part);
  clientRequest.uncork();
  clientRequest.end();
  return promise;
};

/** Headers of a reply by lower-case name. */
export type ReplyHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A provider's complete reply. */
interface Reply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly text: string;
}

/**
 * Sends a POST and reads the whole reply, up to 1 MiB, before it resolves: the abort signal also bounds a slow body, and an
 * endless body cannot fill the memory. Redirects are returned, never followed: they would send the key to another host. Connections are
 * kept alive.
 *
 * Uses `node:http`, because the web streams of `fetch` took a quarter of a judgement's CPU time.
 */
export const boundedPost = async (post: BoundedPost): Promise<Reply> => {
  const response = await sendRequest(post);
  const text = await readAtMost(decode(response), maxBytes);
  return { status: response.statusCode ?? 0, headers: response.headers, text };
};
