import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { packedBrowser } from "../browser/packed-browser.ts";

const isPacked = process.platform === "linux" && process.arch === "x64";

test.runIf(isPacked)("concurrent requests for the browser all return a working executable, unpacked once", async () => {
  const directory = mkdtempSync(join(tmpdir(), "assay-browser-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const versions = await Promise.all(
    Array.from({ length: 3 }, async () => promisify(execFile)(await packedBrowser(directory), ["--version"])),
  );
  expect(new Set(versions.map(({ stdout }) => /^[\w ]*Chrom[\w ]+[\d.]+/u.test(stdout)))).toEqual(new Set([true]));
  expect(readdirSync(directory).filter((name) => name !== "lock")).toHaveLength(1);
});
