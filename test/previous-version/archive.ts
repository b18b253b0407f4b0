import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";

/** Files by their path within a directory, separated by slashes. */
export type Files = ReadonlyMap<string, Buffer>;

/** All files below a directory. */
export const filesBelow = (directory: string): Files => {
  const paths = readdirSync(directory, { recursive: true, encoding: "utf8" }).toSorted();
  const files = paths.filter((path) => statSync(join(directory, path)).isFile());
  return new Map(files.map((path) => [path.replaceAll("\\", "/"), readFileSync(join(directory, path))]));
};

/** The largest window of a plain brotli stream, 16 MB: what lies in two files is stored once. */
const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 } };

/** Files as one compressed blob: a line of JSON with their paths and sizes, then their bytes. */
export const packFiles = (files: Files): Buffer => {
  const list = [...files].map(([path, { length }]) => [path, length]);
  return brotliCompressSync(Buffer.concat([Buffer.from(`${JSON.stringify(list)}\n`), ...files.values()]), options);
};

/** Writes what `packFiles` packed into a directory. @throws Error for a path that leads out of it. */
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
