import { promisify } from "node:util";
import { deflate, gzip } from "node:zlib";
import type { Reply } from "./gateway-response.ts";

/** API Gateway's content codings; `identity` is one, too, and changes nothing. */
const codings = { gzip: promisify(gzip), deflate: promisify(deflate) } as const;

const isCoding = (name: string): name is keyof typeof codings => name in codings;

/** Names of an `Accept-Encoding` with their weights, in order. */
const acceptedIn = (header: string): readonly (readonly [name: string, weight: number])[] =>
  header.split(",").map((each) => {
    const [name = "", ...parameters] = each.split(";");
    const weight = parameters.map((given) => /^\s*q\s*=\s*([\d.]+)\s*$/iu.exec(given)?.[1]).find(Boolean);
    return [name.trim().toLowerCase(), weight === undefined ? 1 : Number(weight)];
  });

/**
 * Compresses a reply as API Gateway does: when it has as many bytes as the API says or more, has no `Content-Encoding`, and what
 * the client likes best is a coding that the gateway has, named outright (`*` is none). Of what it likes alike the first counts,
 * which AWS does not document.
 *
 * @param least bytes; null when the API compresses nothing.
 */
export const compressedReply = async (reply: Reply, least: number | null, accepted: string): Promise<Reply> => {
  const { headers, body } = reply;
  if (least === null || Buffer.byteLength(body) < least || "content-encoding" in headers) return reply;
  const [best] = acceptedIn(accepted).toSorted(([, one], [, other]) => other - one);
  if (best === undefined || best[1] <= 0 || !isCoding(best[0])) return reply;
  return { ...reply, headers: { ...headers, "content-encoding": best[0] }, body: await codings[best[0]](body) };
};
