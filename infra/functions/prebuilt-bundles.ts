import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Code } from "aws-cdk-lib/aws-lambda";

/** Returns the bundle of a handler, named by its path below `functions/` without extension, plus `files` (text by file name) in the same directory. */
export type Bundles = (handler: string, files?: Readonly<Record<string, string>>) => Code;

/** Creates a temporary directory that is deleted at exit; two processes can synthesize at the same time. */
export const temporaryDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), "assay-bundles-"));
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  return directory;
};

/**
 * Computes the hash of a bundle with its additional files. The CDK would compute one for each function of each stack, and keeps
 * those in a folder in the home directory that it lists every time.
 */
const hashOf = (bundle: string, files: Readonly<Record<string, string>>): string => {
  const hash = createHash("sha256").update(JSON.stringify(files));
  for (const name of readdirSync(bundle).toSorted()) {
    const bytes = readFileSync(join(bundle, name));
    hash.update(`\0${name}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest("hex");
};

/**
 * Returns access to bundles that were built before. The directory is only read.
 *
 * @returns function from a handler to its bundle, which throws an Error with the directory if the handler does not exist.
 */
export const prebuiltBundles = (directory: string): Bundles => {
  let copies: string | undefined;
  const hashes = new Map<string, string>();
  return (handler, files = {}) => {
    const bundle = join(directory, handler);
    if (!existsSync(join(bundle, "index.mjs")))
      throw new Error(`The handler ${handler} has no bundle in ${directory}.`);
    const key = JSON.stringify([handler, files]);
    const assetHash = hashes.get(key) ?? hashOf(bundle, files);
    hashes.set(key, assetHash);
    if (Object.keys(files).length === 0) return Code.fromAsset(bundle, { assetHash });
    // Functions that share a handler can have different files.
    copies ??= temporaryDirectory();
    const copy = mkdtempSync(join(copies, "with-files-"));
    cpSync(bundle, copy, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(copy, name), text);
    return Code.fromAsset(copy, { assetHash });
  };
};
