import { promisify } from "node:util";
import { deflate, gzip } from "node:zlib";
import type { GatewayReply } from "./gateway-response.ts";

/** Content codings that API Gateway applies. */
const codings = { gzip: promisify(gzip), deflate: promisify(deflate) } as const;

const isCoding = (name: string): name is keyof typeof codings => name in codings;

/** Parses `Accept-Encoding` into coding names and weights (0 to 1), in order. */
const parseAcceptEncoding = (header: string): readonly (readonly [name: string, weight: number])[] =>
  header.split(",").map((each) => {
    const [name = "", ...parameters] = each.split(";");
    const weight = parameters.map((parameter) => /^\s*q\s*=\s*([\d.]+)\s*$/iu.exec(parameter)?.[1]).find(Boolean);
    return [name.trim().toLowerCase(), weight === undefined ? 1 : Number(weight)];
  });

/**
 * Compresses a reply as API Gateway does: if the reply has at least `minBytes` and no `Content-Encoding`, and the client's preferred
 * coding is gzip or deflate (`*` does not count). Among codings of equal weight the first wins, which AWS does not document.
 *
 * @param minBytes minimum size; null if the API never compresses
 */
export const compressedReply = async (
  reply: GatewayReply,
  minBytes: number | null,
  acceptEncoding: string,
): Promise<GatewayReply> => {
  const { headers, body } = reply;
  if (minBytes === null || Buffer.byteLength(body) < minBytes || "content-encoding" in headers) return reply;
  const [best] = parseAcceptEncoding(acceptEncoding).toSorted(([, weightA], [, weightB]) => weightB - weightA);
  if (best === undefined || best[1] <= 0 || !isCoding(best[0])) return reply;
  return { ...reply, headers: { ...headers, "content-encoding": best[0] }, body: await codings[best[0]](body) };
};
