import { pipeline, type Readable } from "node:stream";
import { promisify } from "node:util";
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib";

/** Supported content codings of streamed replies, in order of preference. */
const codings = ["br", "gzip"] as const;

export type Coding = (typeof codings)[number];

/** Minimum size of a compressed reply in bytes; compression of smaller replies saves no packet. API Gateway has the same minimum. */
export const minCompressedBytes = 1_024;

/** Brotli quality levels (0 to 11) for a text sent once and for a text sent often. */
const [fastLevel, goodLevel] = [4, 9];

const weightOf = (parameters: readonly string[]): number => {
  const quality = parameters
    .map((each) => /^\s*q\s*=\s*([\d.]+)\s*$/iu.exec(each)?.[1])
    .find((each) => each !== undefined);
  return quality === undefined ? 1 : Number(quality);
};

/** Returns the content coding of a reply by the `Accept-Encoding` values of the client; null for no compression. */
export const codingOf = (accepted: readonly string[]): Coding | null => {
  const weights = new Map(
    accepted
      .join(",")
      .split(",")
      .map((each) => {
        const [name = "", ...parameters] = each.split(";");
        return [name.trim().toLowerCase(), weightOf(parameters)];
      }),
  );
  const wildcardWeight = weights.get("*") ?? 0;
  const weighed = codings.map((coding) => ({ coding, weight: weights.get(coding) ?? wildcardWeight }));
  const [best] = weighed.toSorted((a, b) => b.weight - a.weight);
  return best === undefined || best.weight <= 0 || best.weight < (weights.get("identity") ?? 0) ? null : best.coding;
};

const brotliAt = (level: number) => ({ params: { [constants.BROTLI_PARAM_QUALITY]: level } });

const [toBrotli, toGzip] = [promisify(brotliCompress), promisify(gzip)];

/** Compresses a text. @param isReused true if the result is cached and sent often, which justifies a slower compression. */
export const compressed = (text: string, coding: Coding, isReused = false): Promise<Buffer> =>
  coding === "br" ? toBrotli(text, brotliAt(isReused ? goodLevel : fastLevel)) : toGzip(text);

/** Compresses a stream. An error of the source is passed on to the returned stream. */
export const compressedStream = (source: Readable, coding: Coding): Readable => {
  const compressor = coding === "br" ? createBrotliCompress(brotliAt(fastLevel)) : createGzip();
  // Errors reach the reader of the compressor; the callback only prevents an unhandled error.
  return pipeline(source, compressor, () => undefined);
};
