import { promisify } from "node:util";
import { brotliCompress, brotliCompressSync, brotliDecompress, brotliDecompressSync, constants } from "node:zlib";
import { parseLossless } from "../../domain/lossless-json.ts";

/** Bytes up to which a text is packed, or unpacked, at once, in a tenth of a millisecond: handing it to another thread takes longer. */
const [small, smallPacked] = [16_384, 4_096];

const [compressLarge, decompressLarge] = [promisify(brotliCompress), promisify(brotliDecompress)];

/** Bytes of one stored part: an item holds 400 KB with its keys. */
export const partSize = 390_000;

/** Brotli's quality 5: 67 KiB to 10.5 KiB in 0.6 ms; more costs ten times the CPU for one percent. */
const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const compress = async (raw: Buffer): Promise<Buffer> =>
  raw.length <= small ? brotliCompressSync(raw, options) : await compressLarge(raw, options);

const decompress = async (packed: Buffer, most: number): Promise<Buffer> => {
  const bounds = Number.isFinite(most) ? { maxOutputLength: Math.max(1, most) } : {};
  return packed.length <= smallPacked ? brotliDecompressSync(packed, bounds) : await decompressLarge(packed, bounds);
};

/** First byte of a document: how the rest is to be read. */
const encodings = { raw: 0, brotli: 1 } as const;

/** Bytes of the part in the pointer, so that with it the pointer has 12 KB: 3 read units. */
export const firstPartSize = 12_000;

/**
 * A JSON value as bytes in parts that each fit an item; compressed where that is smaller.
 *
 * @param first bytes of the first part.
 */
export const encodeParts = async (value: unknown, first = partSize): Promise<readonly Buffer[]> => {
  const raw = Buffer.from(JSON.stringify(value), "utf8");
  const packed = await compress(raw);
  const small = packed.length < raw.length;
  const bytes = Buffer.concat([Buffer.of(small ? encodings.brotli : encodings.raw), small ? packed : raw]);
  const parts: Buffer[] = [bytes.subarray(0, first)];
  for (let start = first; start < bytes.length; start += partSize) parts.push(bytes.subarray(start, start + partSize));
  return parts;
};

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";

/** The text of some parts in their order, UTF-8; null when it has more bytes than `most`. */
export const unpackParts = async (
  parts: readonly Uint8Array[],
  most = Number.POSITIVE_INFINITY,
): Promise<Buffer | null> => {
  const bytes = Buffer.concat(parts);
  const body = bytes.subarray(1);
  if (bytes[0] !== encodings.brotli) return body.length > most ? null : body;
  try {
    return await decompress(body, most);
  } catch (error) {
    if (isTooLarge(error)) return null;
    throw error;
  }
};

/** The JSON value of a text that `unpackParts` gave. @throws when it is not what `encodeParts` made. */
export const decodeText = (text: Buffer): unknown => parseLossless(text.toString("utf8"));
