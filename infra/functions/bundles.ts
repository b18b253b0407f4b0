import { cpSync, globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Code } from "aws-cdk-lib/aws-lambda";
import { type BuildOptions, buildSync } from "esbuild";
import { consolePage } from "./console-page.ts";

/** Where the handlers are and where their bundles go. */
export interface BundleDirectories {
  readonly functions: string;
  readonly output: string;
}

const repository = resolve(import.meta.dirname, "../..");

/** The service's handlers, and where their bundles go. */
export const ownHandlers = (output: string): BundleDirectories => ({
  functions: join(repository, "functions"),
  output,
});

/** Bundles are copied into the assembly; a directory of its own lets two synths run at the same time. */
const directoriesOfThisProcess = (): BundleDirectories => {
  const output = mkdtempSync(join(tmpdir(), "assay-bundles-"));
  process.once("exit", () => rmSync(output, { recursive: true, force: true }));
  return ownHandlers(output);
};

/** The bundle of a handler file, named by its path below `functions/` without ending; beside it lie files, text by name. */
export type Bundles = (handler: string, files?: Readonly<Record<string, string>>) => Code;

/** ESM has no `require`, which CommonJS packages inside a bundle still call. */
const banner = "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);";

/** How handlers are bundled, whichever of them and wherever to. */
export const bundling = {
  outExtension: { ".js": ".mjs" },
  absWorkingDir: repository,
  bundle: true,
  minify: true,
  keepNames: false,
  format: "esm",
  platform: "node",
  target: "node24",
  mainFields: ["module", "main"],
  conditions: ["module"],
  alias: { "@aws-sdk/credential-provider-node": "./infra/functions/lambda-credentials.ts" },
  banner: { js: banner },
  legalComments: "none",
  logLevel: "error",
} as const satisfies BuildOptions;

/** The handler files by their paths below `functions/` without ending. */
const handlersIn = (functions: string): readonly string[] =>
  globSync("**/*.ts", { cwd: functions })
    .map((path) => path.replaceAll("\\", "/").replace(/\.ts$/u, ""))
    .toSorted();

const page = JSON.stringify(await consolePage());

/** Bundles every handler file in one call of esbuild: 70 calls take 22 s, one takes 3 s. */
export const bundlingOf = ({ functions, output }: BundleDirectories): BuildOptions => ({
  entryPoints: handlersIn(functions).map((handler) => ({
    in: join(functions, `${handler}.ts`),
    out: `${handler}/index`,
  })),
  outdir: output,
  splitting: false,
  // Only the handler that serves it names it.
  define: { CONSOLE_PAGE: page },
  ...bundling,
});

/**
 * Bundles that lie in their directory.
 *
 * @returns gives a handler's bundle; throws an Error naming the file when there is no such handler.
 */
export const bundlesIn = ({ functions, output }: BundleDirectories): Bundles => {
  const handlers = new Set(handlersIn(functions));
  return (handler, files = {}) => {
    if (!handlers.has(handler)) throw new Error(`The handler ${join(functions, handler)}.ts does not exist.`);
    if (Object.keys(files).length === 0) return Code.fromAsset(join(output, handler));
    // Functions may share a handler and differ in their files.
    const own = mkdtempSync(join(output, "with-files-"));
    cpSync(join(output, handler), own, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(own, name), text);
    return Code.fromAsset(own);
  };
};

/** Bundles every handler. @returns the bundles, as `bundlesIn` does. */
export const bundle = (directories = directoriesOfThisProcess()): Bundles => {
  buildSync(bundlingOf(directories));
  return bundlesIn(directories);
};
