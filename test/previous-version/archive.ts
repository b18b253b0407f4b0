import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";

/** File contents by path within a directory, with slashes as separators. */
export type Files = ReadonlyMap<string, Buffer>;

/** All files below a directory. */
export const filesBelow = (directory: string): Files => {
  const paths = readdirSync(directory, { recursive: true, encoding: "utf8" }).toSorted();
  const files = paths.filter((path) => statSync(join(directory, path)).isFile());
  return new Map(files.map((path) => [path.replaceAll("\\", "/"), readFileSync(join(directory, path))]));
};

/** Brotli options with the maximum window of 16 MB, so that content repeated across files is stored once. */
const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 } };

/** Packs files into one compressed blob: a JSON line with paths and sizes, then the contents. */
export const packFiles = (files: Files): Buffer => {
  const list = [...files].map(([path, { length }]) => [path, length]);
  return brotliCompressSync(Buffer.concat([Buffer.from(`${JSON.stringify(list)}\n`), ...files.values()]), options);
};

/** Unpacks the files of `packFiles` into a directory. @throws Error for a path outside of the directory. */
export const unpackFiles = (packed: Buffer, directory: string): void => {
  const bytes = brotliDecompressSync(packed);
  const end = bytes.indexOf("\n");
  let start = end + 1;
  for (const [path, size] of JSON.parse(bytes.toString("utf8", 0, end)) as [string, number][]) {
    const file = join(directory, path);
    if (relative(directory, file).startsWith("..")) throw new Error(`${path} lies outside of the directory.`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes.subarray(start, (start += size)), { mode: 0o600 });
  }
};
