import { globSync } from "node:fs";
import { resolve } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";

const repository = resolve(import.meta.dirname, "../..");
const handlers = globSync(["functions/api/runs/{create,retry}-*.ts", "functions/api/monitors/*.ts"], {
  cwd: repository,
}).toSorted();

/** The modules of the service that a handler's bundle has something of. */
const modulesOf = async (handler: string): Promise<readonly string[]> => {
  const { metafile } = await build({
    entryPoints: [handler],
    absWorkingDir: repository,
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "node",
    packages: "external",
    logLevel: "error",
  });
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
};

/** Modules that a cost estimate may load: the judge's rendering of traces, prices and reserves; the catalogue of metrics. */
const allowed =
  /^lib\/(?:judge\/(?:transcript|prices|spending)\/|judge\/providers\/provider\.|metrics\/\w+\/catalogue\.)/u;

test.each(handlers)("%s loads no question of a metric and no code that calls a model", async (handler) => {
  const modules = await modulesOf(handler);

  expect(modules).toContain(handler);
  expect(modules.filter((path) => /^lib\/(?:judge|metrics)\//u.test(path) && !allowed.test(path))).toEqual([]);
});
