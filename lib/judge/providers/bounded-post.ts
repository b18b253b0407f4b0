import { Agent as PlainAgent, request as requestPlain, type IncomingMessage } from "node:http";
import { Agent as TlsAgent, request as requestTls } from "node:https";
import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

/** Far more than any verdict; a provider that sends more is not read to its end. */
const maxBytes = 1024 * 1024;

const plain = { request: requestPlain, agent: new PlainAgent({ keepAlive: true }) };
const tls = { request: requestTls, agent: new TlsAgent({ keepAlive: true }) };

const decoders: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Nobody asks for compression here; some servers compress all the same. */
const decoded = (response: IncomingMessage): Readable => {
  const decoder = decoders[response.headers["content-encoding"]?.toLowerCase() ?? ""];
  // A broken stream ends the decoder with its error, which is where it is read.
  return decoder === undefined ? response : pipeline(response, decoder(), () => {});
};

/** Leaves a byte order mark out. */
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

/** What providers see of who calls: the package and its version. */
const userAgent = "assay/0.1.0";

/** A request's body, UTF-8: a text, or its parts one after the other. */
export type PostBody = string | readonly Uint8Array[];

/** A POST to a provider. */
interface BoundedPost {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: PostBody;
  readonly signal: AbortSignal;
}

const sent = ({ url, headers, body, signal }: BoundedPost): Promise<IncomingMessage> => {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { request, agent } = url.protocol === "https:" ? tls : plain;
  const parts = typeof body === "string" ? [Buffer.from(body)] : body;
  const length = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const options = {
    method: "POST",
    agent,
    signal,
    headers: { ...headers, "content-length": length, "user-agent": userAgent },
  };
  const sending = request(url, options).on("response", resolve).on("error", reject);
  // The parts go out together, without a copy of a transcript for each question about it.
  sending.cork();
  for (const part of parts) sending.write(part);
  sending.uncork();
  sending.end();
  return promise;
};

/** Headers of a reply by their names in small letters. */
export type ReplyHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A provider's reply, read to its end. */
interface Reply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly text: string;
}

/**
 * A POST whose reply is read whole, up to 1 MiB, before it resolves: the caller's abort signal then bounds a slow drip of
 * bytes as well, and an endless body costs no memory. Redirects are handed back, never followed: they would carry the key to
 * another host. Connections stay open between calls.
 *
 * Made over `node:http`: the web streams of the global `fetch` took a quarter of the CPU of a judgement.
 */
export const boundedPost = async (post: BoundedPost): Promise<Reply> => {
  const response = await sent(post);
  const text = await readAtMost(decoded(response), maxBytes);
  return { status: response.statusCode ?? 0, headers: response.headers, text };
};
