import { gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";

test("the client consists of its own files alone: no library, no schema, nothing specific to one platform", async () => {
  const { metafile, outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("../../../lib/client/client.ts", import.meta.url))],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    metafile: true,
    write: false,
  });

  const foreignPaths = Object.keys(metafile.inputs).filter((path) => !/^lib\/client\/\w+\.ts$/u.test(path));
  expect(foreignPaths).toEqual([]);
  expect(gzipSync(outputFiles[0]?.contents ?? "").length).toBeLessThan(5_000);
});
