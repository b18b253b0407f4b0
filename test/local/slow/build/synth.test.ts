import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundleMetafile } from "../../../../infra/local/build/bundle-metafile.ts";
import { type BuildCache, openBuildCache } from "../../../../infra/local/build/build-cache.ts";
import { sourceFiles } from "../../../../infra/local/build/content-key.ts";
import { handlerSources } from "../../../../infra/local/handler-bundles.ts";
import { repository } from "../../../../infra/local/repository.ts";
import { synthesizeForDevelopment } from "../../../../infra/local/synth.ts";
import type { Assembly } from "../../../../infra/local/template/template.ts";
import { variables } from "../../../../lib/wiring/environment.ts";
import { temporaryDirectory } from "../../../support/service/local-fixture.ts";
import { sharedBuilds } from "../../../support/service/shared-builds.ts";

test("the assembly depends on what the CDK app imports, not on handlers, the console and the local runtime", async () => {
  const directory = temporaryDirectory();
  const settings = { judgeModel: "offline/rules", embeddingModel: "offline/words", limitFactor: 100, jwksUri: "" };

  await synthesizeForDevelopment(directory, settings, openBuildCache(sharedBuilds));
  const inputs = JSON.parse(readFileSync(join(directory, "app-inputs", "inputs.json"), "utf8")) as string[];

  expect(inputs).toEqual(expect.arrayContaining(["infra/app.ts", "infra/stack.ts", "lib/contract/routes.ts"]));
  expect(inputs.filter((path) => !/^(?:lib\/|infra\/|package\.json$)/u.test(path))).toEqual([]);
  expect(inputs.filter((path) => /^(?:lib\/console|infra\/local)\//u.test(path))).toEqual([]);
});

const environments = ({ template }: Assembly): readonly Readonly<Record<string, string>>[] =>
  Object.values(template.Resources).flatMap(({ Properties }) => {
    const environment = Properties?.["Environment"] as { Variables: Record<string, string> } | undefined;
    return environment === undefined ? [] : [environment.Variables];
  });

/** What the functions are told for a variable, each value once. */
const valuesOf = (assembly: Assembly, name: string): readonly string[] => [
  ...new Set(environments(assembly).flatMap((environment) => environment[name] ?? [])),
];

/** URLs of the issuer's keys in the functions' environments. */
const keysOf = (assembly: Assembly): readonly string[] =>
  valuesOf(assembly, variables.jwt).map((text) => (JSON.parse(text) as { jwksUri: string }).jwksUri);

test("the settings of a deployment reach the functions, and those of the local runtime override them", async () => {
  const settings = { monthlyCostCeilingUsd: 7.5, judgeTier: "flex", stage: "prod", limitFactor: 3 };
  const local = {
    judgeModel: "offline/rules",
    embeddingModel: "offline/words",
    limitFactor: 100,
    jwksUri: "http://127.0.0.1:1/keys",
  };

  const assembly = await synthesizeForDevelopment(
    temporaryDirectory(),
    { ...local, settings },
    openBuildCache(sharedBuilds),
  );

  expect(valuesOf(assembly, variables.monthlyCostCeiling)).toEqual(["7.5"]);
  expect(valuesOf(assembly, variables.judgeTier)).toEqual(["flex"]);
  expect(valuesOf(assembly, variables.stage)).toEqual(["local"]);
});

test("every bundled file is in the key of the bundles", async () => {
  const handlers = globSync("functions/**/*.ts", { cwd: repository });

  const needed = Object.keys((await bundleMetafile(handlers)).inputs);
  const sources = sourceFiles(handlerSources);

  expect(needed).toContain("functions/workers/authorize.ts");
  expect(needed.filter((path) => !sources.includes(path))).toEqual([]);
});

test("two starts with the same settings are synthesized once, each with the address of its own issuer", async () => {
  const requestedKeys: string[] = [];
  const builtKeys: string[] = [];
  const shared = openBuildCache(sharedBuilds, (name) => builtKeys.push(name));
  const builds: BuildCache = {
    provide: (build, output) => {
      if (build.name === "assembly") requestedKeys.push(build.key());
      return shared.provide(build, output);
    },
  };
  const start = (jwksUri: string): Promise<Assembly> => {
    const settings = {
      judgeModel: "offline/rules",
      embeddingModel: "offline/words",
      limitFactor: 100,
      jwksUri,
    };
    return synthesizeForDevelopment(temporaryDirectory(), settings, builds);
  };
  const issuers = ["http://127.0.0.1:1111/keys", "http://127.0.0.1:2222/keys"] as const;

  const first = await start(issuers[0]);
  builtKeys.length = 0;
  const second = await start(issuers[1]);

  expect(new Set(requestedKeys).size).toBe(1);
  expect(builtKeys).toEqual([]);
  expect([first, second].map(keysOf)).toEqual(issuers.map((issuer) => [issuer]));
  expect(valuesOf(second, variables.limitFactor)).toEqual(["100"]);
  expect([...second.assets.values()].filter((path) => !existsSync(path))).toEqual([]);
});
