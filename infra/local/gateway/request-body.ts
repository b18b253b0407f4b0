import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gunzip, inflate } from "node:zlib";
import { GatewayFault } from "./gateway-response.ts";

/** API Gateway's maximum body size, which applies before and after decompression. */
const maxBytes = 10 * 1024 * 1024;

const decoders = { gzip: promisify(gunzip), deflate: promisify(inflate) } as const;

const tooLarge = (request: IncomingMessage): GatewayFault => {
  // The rest of the body is read and discarded: a client that is disconnected while sending does not read the reply.
  request.resume();
  return new GatewayFault("REQUEST_TOO_LARGE");
};

const readBytes = async (request: IncomingMessage): Promise<Buffer> => {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw tooLarge(request);
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) reject(tooLarge(request));
      else chunks.push(chunk);
    });
    request.once("end", () => resolve(Buffer.concat(chunks)));
    request.once("error", reject);
  });
};

/**
 * Reads a request's body and decompresses it, as API Gateway does before any integration.
 *
 * @throws GatewayFault 413 above 10 MiB, 415 for an unsupported `Content-Encoding` or a body that cannot be decoded
 */
export const requestBody = async (request: IncomingMessage): Promise<Buffer> => {
  const bytes = await readBytes(request);
  const encoding = (request.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (encoding === "identity" || encoding === "") return bytes;
  if (encoding !== "gzip" && encoding !== "deflate") throw new GatewayFault("UNSUPPORTED_MEDIA_TYPE");
  try {
    return await decoders[encoding](bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    throw new GatewayFault(isTooLarge ? "REQUEST_TOO_LARGE" : "UNSUPPORTED_MEDIA_TYPE");
  }
};
