import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  deflate: inflateSync,
  identity: (bytes) => bytes,
};

/** Decompresses a body by its `Content-Encoding`. @throws Error for an unknown one. */
export const decodedText = (bytes: Buffer, encoding = "identity"): string => {
  const decode = decoders[encoding];
  if (decode === undefined) throw new Error(`${encoding} is not known here.`);
  return bytes.length === 0 ? "" : decode(bytes).toString();
};
