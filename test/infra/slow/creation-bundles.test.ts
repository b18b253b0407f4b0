import { globSync } from "node:fs";
import { expect, test } from "vitest";
import { bundleMetafile } from "../../../infra/local/build/bundle-metafile.ts";
import { repository } from "../../../infra/local/repository.ts";

const handlers = globSync(["functions/api/runs/{create,retry}-*.ts", "functions/api/monitors/*.ts"], {
  cwd: repository,
}).toSorted();

/** The modules of the service that a handler's bundle has something of. */
const modulesOf = async (handler: string): Promise<readonly string[]> => {
  return Object.values((await bundleMetafile([handler])).outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
};

/** Modules that a cost estimate and a check of prices may load: the rendering of traces, prices, reserves and settings of providers; the catalogue of metrics. */
const allowed =
  /^lib\/(?:judge\/(?:transcript|prices|spending)\/|judge\/providers\/(?:provider|provider-settings|google-service-account|reply)\.|metrics\/\w+\/catalogue\.)/u;

test.each(handlers)("%s loads no question of a metric and no code that calls a model", async (handler) => {
  const modules = await modulesOf(handler);

  expect(modules).toContain(handler);
  expect(modules.filter((path) => /^lib\/(?:judge|metrics)\//u.test(path) && !allowed.test(path))).toEqual([]);
});
