import { promisify } from "node:util";
import { brotliCompress, brotliCompressSync, brotliDecompress, brotliDecompressSync, constants } from "node:zlib";
import { countUnpacked } from "../../async/request-budget.ts";
import { parseLossless } from "../../domain/json.ts";
import { sizeOfJson } from "../../domain/json-size.ts";

/**
 * Bytes up to which compression and decompression run synchronously: a tenth of a millisecond, less than the
 * hand-over to a worker thread.
 */
const [maxSyncBytes, maxSyncPackedBytes] = [16_384, 4_096];

const [compressAsync, decompressAsync] = [promisify(brotliCompress), promisify(brotliDecompress)];

/** Bytes of one stored part: a DynamoDB item holds 400 KB, its keys included. */
export const partSize = 390_000;

/**
 * Brotli quality 5 compresses 67 KiB to 10.5 KiB in 0.6 ms; higher qualities take ten times the CPU time for one
 * percent.
 */
const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const compress = async (raw: Buffer): Promise<Buffer> =>
  raw.length <= maxSyncBytes ? brotliCompressSync(raw, options) : await compressAsync(raw, options);

const decompress = async (packed: Buffer, maxLength: number): Promise<Buffer> => {
  const bounds = Number.isFinite(maxLength) ? { maxOutputLength: Math.max(1, maxLength) } : {};
  return packed.length <= maxSyncPackedBytes
    ? brotliDecompressSync(packed, bounds)
    : await decompressAsync(packed, bounds);
};

/** First byte of a document: the encoding of the following bytes. */
const encodings = { raw: 0, brotli: 1 } as const;

/** Bytes of the first part, which lies in the trace's pointer item: with it the pointer has 12 KB, 3 read units. */
export const firstPartSize = 12_000;

/**
 * Encodes a JSON value as bytes, compressed if that is smaller, and splits them into parts that each fit a DynamoDB
 * item.
 *
 * @param first bytes of the first part.
 */
export const encodeParts = async (value: unknown, first = partSize): Promise<readonly Buffer[]> => {
  const raw = Buffer.from(JSON.stringify(value), "utf8");
  const packed = await compress(raw);
  const isSmaller = packed.length < raw.length;
  const bytes = Buffer.concat([Buffer.of(isSmaller ? encodings.brotli : encodings.raw), isSmaller ? packed : raw]);
  const parts: Buffer[] = [bytes.subarray(0, first)];
  for (let start = first; start < bytes.length; start += partSize) parts.push(bytes.subarray(start, start + partSize));
  return parts;
};

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";

/** Joins and decompresses parts, in their order. @returns UTF-8 bytes; null when there are more than `maxLength`. */
export const unpackParts = async (
  parts: readonly Uint8Array[],
  maxLength = Number.POSITIVE_INFINITY,
): Promise<Buffer | null> => {
  const bytes = Buffer.concat(parts);
  const body = bytes.subarray(1);
  if (bytes[0] !== encodings.brotli) return body.length > maxLength ? null : body;
  try {
    return await decompress(body, maxLength);
  } catch (error) {
    if (isTooLarge(error)) return null;
    throw error;
  }
};

/** Parses the text returned by `unpackParts`, and counts it in the budget of the request. @throws SyntaxError when the text is not JSON. */
export const decodeText = (bytes: Buffer): unknown => {
  const text = bytes.toString("utf8");
  countUnpacked(sizeOfJson(text));
  return parseLossless(text);
};
