import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { AssetCode } from "aws-cdk-lib/aws-lambda";
import { expect, test } from "vitest";
import { bundle } from "../../infra/functions/bundles.ts";
import { openBuildCache } from "../../infra/local/build/build-cache.ts";
import { handlerBundles } from "../../infra/local/handler-bundles.ts";
import { sharedBuilds } from "../support/service/shared-builds.ts";
import { temporaryDirectory } from "./synthesize.ts";

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

test("a handler that does not exist is named in one sentence", () => {
  const { functions, output } = directories();
  const bundles = bundle({ functions, output });

  expect(() => bundles("api/traces/delete-trace")).toThrow(
    `The handler ${join(functions, "api/traces/delete-trace")}.ts does not exist.`,
  );
});

test("a bundle is one module in a directory of its own and can call require", async () => {
  const { functions, output } = directories();
  bundle({ functions, output });
  const file = join(output, "api", "traces", "get-trace", "index.mjs");

  const { handler } = await import(pathToFileURL(file).href);

  expect(existsSync(file)).toBe(true);
  expect(await handler()).toBe("functionfunction");
});

const reader = `import { jsonSetting } from ${JSON.stringify(join(import.meta.dirname, "../../lib/wiring/json-setting.ts"))};
export const handler = async (environment) => jsonSetting("PRICES", environment);
`;

test("functions of one handler read a long setting each from the file beside its own bundle", async () => {
  const { functions, output } = directories();
  writeFileSync(join(functions, "api", "read.ts"), reader);
  const bundles = bundle({ functions, output });
  const made = [{ one: 1 }, { two: 2 }].map((prices) => bundles("api/read", { "prices.json": JSON.stringify(prices) }));
  const read = await Promise.all(
    made.map(async (code) => {
      const path = code instanceof AssetCode ? code.path : "";
      const { handler } = await import(pathToFileURL(join(path, "index.mjs")).href);
      return handler({ PRICES: "file:prices.json" });
    }),
  );

  expect(read).toEqual([{ one: 1 }, { two: 2 }]);
});

test("the same source gives the same bytes", () => {
  const { functions, output } = directories();
  const again = `${output}-again`;
  bundle({ functions, output });
  bundle({ functions, output: again });
  const bytes = (directory: string) => readFileSync(join(directory, "api", "traces", "get-trace", "index.mjs"), "utf8");

  expect(bytes(output)).toBe(bytes(again));
  expect(bytes(output)).not.toContain(functions);
});

/** What asks judges is larger: who waits for a judge's answer does not notice its start. */
const judging = new Set(["workers/judge-slice/index.mjs", "api/metrics/preview-own-metric/index.mjs"]);

const mostBytes = (path: string): number => (judging.has(path) ? 1_250_000 : 1_000_000);

test("the bundles of the service are small enough to start fast", async () => {
  const output = join(temporaryDirectory(), "bundles");
  await openBuildCache(sharedBuilds).provide(handlerBundles, output);
  const bundles = globSync("**/*.mjs", { cwd: output });

  expect(bundles.length).toBeGreaterThan(0);
  expect(bundles.filter((path) => statSync(join(output, path)).size > mostBytes(path))).toEqual([]);
});
