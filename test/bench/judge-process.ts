import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { number, object, parse, type InferOutput } from "valibot";

const measured = object({ seconds: number(), cpu: number(), megabytes: number(), scored: number() });

/** Wall and CPU seconds of the work without startup, peak memory of the process, and number of scored judgements. */
export type Measured = InferOutput<typeof measured>;

/** A bundled program that runs in a separate process. */
export interface JudgeProcess {
  /**
   * @param input text for the standard input.
   * @param flags flags of Node.js, such as `--cpu-prof`.
   */
  run(environment: Readonly<Record<string, string>>, input: string, flags: readonly string[]): Promise<Measured>;
  /** Removes the bundle. */
  close(): void;
}

/** ES modules have no `require`, which bundled CommonJS packages call. */
const banner = "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);";

/** Bundles a program as functions are deployed; loading TypeScript would count as its memory. */
export const judgeProcess = async (program: URL): Promise<JudgeProcess> => {
  const directory = mkdtempSync(join(tmpdir(), "assay-bench-"));
  const outfile = join(directory, "index.mjs");
  await build({
    entryPoints: [fileURLToPath(program)],
    outfile,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
    target: "node24",
    mainFields: ["module", "main"],
    conditions: ["module"],
    banner: { js: banner },
    logLevel: "error",
  });
  return {
    run: async (environment, input, flags) => {
      const child = spawn(process.execPath, [...flags, outfile], {
        env: { ...process.env, ...environment },
        stdio: ["pipe", "pipe", "inherit"],
      });
      child.stdin.end(input);
      return parse(measured, JSON.parse(await text(child.stdout)));
    },
    close: () => rmSync(directory, { recursive: true, force: true }),
  };
};
