import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { AssetCode } from "aws-cdk-lib/aws-lambda";
import { buildSync } from "esbuild";
import { expect, test } from "vitest";
import { bundleHandlers, sharedBuild } from "../../../infra/functions/bundles.ts";
import { prebuiltBundles } from "../../../infra/functions/prebuilt-bundles.ts";
import { openBuildCache } from "../../../infra/local/build/build-cache.ts";
import { handlerBundles } from "../../../infra/local/handler-bundles.ts";
import { sharedBuilds } from "../../support/service/shared-builds.ts";
import { temporaryDirectory } from "../synthesize.ts";

const directories = () => {
  const root = temporaryDirectory();
  const functions = join(root, "functions");
  mkdirSync(join(functions, "api", "traces"), { recursive: true });
  writeFileSync(
    join(functions, "api", "traces", "get-trace.ts"),
    'import { createRequire } from "node:module";\nexport const handler = async () => typeof createRequire + typeof require;\n',
  );
  return { functions, output: join(root, "dist") };
};

test("a missing handler is reported in one sentence", () => {
  const { functions, output } = directories();
  const bundles = prebuiltBundles(bundleHandlers({ functions, output }));

  expect(() => bundles("api/traces/delete-trace")).toThrow(
    `The handler api/traces/delete-trace has no bundle in ${output}.`,
  );
});

test("a bundle is one module in its own directory and can call require", async () => {
  const { functions, output } = directories();
  bundleHandlers({ functions, output });
  const file = join(output, "api", "traces", "get-trace", "index.mjs");

  const { handler } = await import(pathToFileURL(file).href);

  expect(existsSync(file)).toBe(true);
  expect(await handler()).toBe("functionfunction");
});

const reader = `import { jsonSetting } from ${JSON.stringify(join(import.meta.dirname, "../../../lib/wiring/json-setting.ts"))};
export const handler = async (environment) => jsonSetting("PRICES", environment);
`;

test("functions of one handler each read a long setting from the file beside their own bundle", async () => {
  const { functions, output } = directories();
  writeFileSync(join(functions, "api", "read.ts"), reader);
  const bundles = prebuiltBundles(bundleHandlers({ functions, output }));
  const bundlesByPrice = [{ one: 1 }, { two: 2 }].map((prices) =>
    bundles("api/read", { "prices.json": JSON.stringify(prices) }),
  );
  const settingTexts = await Promise.all(
    bundlesByPrice.map(async (code) => {
      const path = code instanceof AssetCode ? code.path : "";
      const { handler } = await import(pathToFileURL(join(path, "index.mjs")).href);
      return handler({ PRICES: "file:prices.json", LAMBDA_TASK_ROOT: path });
    }),
  );

  expect(settingTexts).toEqual([{ one: 1 }, { two: 2 }]);
});

test("handlers of a shared build load the code that they share from the same file", async () => {
  const { functions, output } = directories();
  const shared = join(functions, "..", "shared.ts");
  writeFileSync(shared, `export const marker = "only once";\n`);
  for (const name of ["first", "second"])
    writeFileSync(
      join(functions, "api", `${name}.ts`),
      `import { marker } from ${JSON.stringify(shared)};\nexport const handler = () => "${name} " + marker;\n`,
    );

  buildSync(sharedBuild({ functions, output }));
  const files = globSync("**/*.mjs", { cwd: output }).map((path) => readFileSync(join(output, path), "utf8"));
  const modules = await Promise.all(
    ["first", "second"].map((name) => import(pathToFileURL(join(output, "api", name, "index.mjs")).href)),
  );

  expect(modules.map(({ handler }) => handler())).toEqual(["first only once", "second only once"]);
  expect(files.filter((text) => text.includes("only once"))).toHaveLength(1);
});

test("the same source gives the same bytes", () => {
  const { functions, output } = directories();
  const secondOutput = `${output}-again`;
  bundleHandlers({ functions, output });
  bundleHandlers({ functions, output: secondOutput });
  const bytes = (directory: string) => readFileSync(join(directory, "api", "traces", "get-trace", "index.mjs"), "utf8");

  expect(bytes(output)).toBe(bytes(secondOutput));
  expect(bytes(output)).not.toContain(functions);
});

/** Bytes of a file that a function loads when it starts; the package of OpenAI's protocol and tokenizers are loaded when they are called. */
const maxBytes = 1_000_000;

test("the bundles of the service are small enough for a fast start, and import no node:http, which loads undici", async () => {
  const output = join(temporaryDirectory(), "bundles");
  await openBuildCache(sharedBuilds).provide(handlerBundles, output);
  const bundles = globSync("**/*.mjs", { cwd: output });

  expect(bundles.length).toBeGreaterThan(0);
  const texts = bundles.map((path) => readFileSync(join(output, path), "utf8"));
  const importedAtStart = new Set(
    texts.flatMap((text) => [...text.matchAll(/(?:from|import)"\.[^"]*\/([^/"]+\.mjs)"/gu)].map(([, name]) => name)),
  );
  const isLoadedAtStart = (path: string): boolean =>
    basename(path) === "index.mjs" || importedAtStart.has(basename(path));
  const large = bundles.filter((path) => statSync(join(output, path)).size > maxBytes);
  expect(large.filter(isLoadedAtStart)).toEqual([]);
  // The two encodings of OpenAI's models, in the two functions that judge.
  expect(large).toHaveLength(4);
  expect(bundles.filter((_, index) => /(?:from|import\()"(?:node:)?http"/u.test(texts[index] ?? ""))).toEqual([]);
});
