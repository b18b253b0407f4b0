import { pipeline, type Readable } from "node:stream";
import { promisify } from "node:util";
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib";

/** How a streamed reply may be compressed; the first of those that a client likes best. */
const codings = ["br", "gzip"] as const;

export type Coding = (typeof codings)[number];

/** Bytes below which compressing saves no packet. The gateway compresses from as many on what it does not stream. */
export const leastCompressed = 1_024;

/** Brotli's levels, 0 to 11: what is sent once is done quickly, what is sent often well. */
const [quickly, well] = [4, 9];

const weightOf = (parameters: readonly string[]): number => {
  const given = parameters
    .map((each) => /^\s*q\s*=\s*([\d.]+)\s*$/iu.exec(each)?.[1])
    .find((each) => each !== undefined);
  return given === undefined ? 1 : Number(given);
};

/** How a reply is to be compressed by what its reader accepts; null where it is not to be. */
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
  const others = weights.get("*") ?? 0;
  const weighed = codings.map((coding) => ({ coding, weight: weights.get(coding) ?? others }));
  const [best] = weighed.toSorted((one, other) => other.weight - one.weight);
  return best === undefined || best.weight <= 0 || best.weight < (weights.get("identity") ?? 0) ? null : best.coding;
};

const brotliAt = (level: number) => ({ params: { [constants.BROTLI_PARAM_QUALITY]: level } });

const [toBrotli, toGzip] = [promisify(brotliCompress), promisify(gzip)];

/** Compresses a text. @param often whether the result is kept, and so worth more time. */
export const compressed = (text: string, coding: Coding, often = false): Promise<Buffer> =>
  coding === "br" ? toBrotli(text, brotliAt(often ? well : quickly)) : toGzip(text);

/** Compresses a text while it comes; an error of its source is one of the result. */
export const compressedStream = (source: Readable, coding: Coding): Readable => {
  const compressor = coding === "br" ? createBrotliCompress(brotliAt(quickly)) : createGzip();
  // Whoever reads the compressor is told.
  return pipeline(source, compressor, () => undefined);
};
