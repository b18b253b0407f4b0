import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { openBuildCache } from "../../../../infra/local/build/build-cache.ts";
import { debugHandlers } from "../../../../infra/local/handler-bundles.ts";
import { sharedBuilds } from "../../../support/service/shared-builds.ts";

const directory = mkdtempSync(join(tmpdir(), "assay-debug-handlers-"));
afterAll(() => rmSync(directory, { recursive: true }));

test("the source maps of handlers for a debugger name source files that exist, wherever the build is used", async () => {
  const output = join(directory, "deeper", "handlers");
  await openBuildCache(sharedBuilds).provide(debugHandlers, output);
  const sources = globSync("**/*.map", { cwd: output }).flatMap(
    (map) => (JSON.parse(readFileSync(join(output, map), "utf8")) as { readonly sources: readonly string[] }).sources,
  );

  // Packages may be shipped without the sources that their own maps name.
  const programs = sources.filter((source) => source.endsWith(".ts") && !source.includes("/node_modules/"));

  expect(programs.some((source) => source.endsWith("/functions/api/traces/get-trace.ts"))).toBe(true);
  expect(programs.filter((source) => !source.startsWith("file:") || !existsSync(fileURLToPath(source)))).toEqual([]);
});
