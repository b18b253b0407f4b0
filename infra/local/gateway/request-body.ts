import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gunzip, inflate } from "node:zlib";
import { GatewayFault } from "./gateway-response.ts";

/** API Gateway's limit, before and after decompression. */
const limit = 10 * 1024 * 1024;

const decoders = { gzip: promisify(gunzip), deflate: promisify(inflate) } as const;

const tooLarge = (request: IncomingMessage): GatewayFault => {
  // What is still coming is read and thrown away: a client that is cut off while sending does not read the reply.
  request.resume();
  return new GatewayFault("REQUEST_TOO_LARGE");
};

const received = async (request: IncomingMessage): Promise<Buffer> => {
  if (Number(request.headers["content-length"] ?? 0) > limit) throw tooLarge(request);
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) reject(tooLarge(request));
      else chunks.push(chunk);
    });
    request.once("end", () => resolve(Buffer.concat(chunks)));
    request.once("error", reject);
  });
};

/**
 * Reads a request's body; compressed ones are decompressed, as API Gateway does before any integration.
 *
 * @throws GatewayFault 413 above 10 MB, 415 for an encoding it does not know or a body that is not in it.
 */
export const requestBody = async (request: IncomingMessage): Promise<Buffer> => {
  const bytes = await received(request);
  const encoding = (request.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (encoding === "identity" || encoding === "") return bytes;
  if (encoding !== "gzip" && encoding !== "deflate") throw new GatewayFault("UNSUPPORTED_MEDIA_TYPE");
  try {
    return await decoders[encoding](bytes, { maxOutputLength: limit });
  } catch (error) {
    const tooMuch = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    throw new GatewayFault(tooMuch ? "REQUEST_TOO_LARGE" : "UNSUPPORTED_MEDIA_TYPE");
  }
};
