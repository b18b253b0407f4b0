import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
 * Returns access to bundles that were built before. The directory is only read.
 *
 * @returns function from a handler to its bundle, which throws an Error with the directory if the handler does not exist.
 */
export const prebuiltBundles = (directory: string): Bundles => {
  let copies: string | undefined;
  return (handler, files = {}) => {
    const bundle = join(directory, handler);
    if (!existsSync(join(bundle, "index.mjs")))
      throw new Error(`The handler ${handler} has no bundle in ${directory}.`);
    if (Object.keys(files).length === 0) return Code.fromAsset(bundle);
    // Functions that share a handler can have different files.
    copies ??= temporaryDirectory();
    const copy = mkdtempSync(join(copies, "with-files-"));
    cpSync(bundle, copy, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(copy, name), text);
    return Code.fromAsset(copy);
  };
};
