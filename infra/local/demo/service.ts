import { join } from "node:path";
import * as v from "valibot";
import { createClient } from "../../../lib/client/client.ts";
import type { Caller } from "../curl.ts";
import { readJson } from "../host/json-file.ts";
import { startLocal } from "../local-stack.ts";
import { shellProviders } from "../ssm/shell-providers.ts";

/** A service that the demo can speak to. */
export interface DemoService extends Caller {
  /** Whether it was started for the demo, and ends with it. */
  readonly isOwn: boolean;
  close(): Promise<void>;
}

const readyFile = v.object({ base_url: v.string(), api_key: v.string(), project_name: v.string() });

/** The service that runs on a data directory; null when none answers. */
const runningService = async (directory: string): Promise<DemoService | null> => {
  const known = readJson(join(directory, "ready.json"));
  if (known === undefined) return null;
  const { base_url: baseUrl, api_key: apiKey, project_name: projectName } = v.parse(readyFile, known);
  const health = createClient({ baseUrl, timeout: 5_000, retries: 0 }).getHealth();
  return health.then(
    () => ({ baseUrl, apiKey, projectName, isOwn: false, close: async () => {} }),
    () => null,
  );
};

const ownService = async (directory: string): Promise<DemoService> => {
  const { baseUrl, credentials, close } = await startLocal({
    directory,
    port: 0,
    judgeModel: process.env["JUDGE_MODEL"] ?? "offline/rules",
    embeddingModel: process.env["EMBEDDING_MODEL"],
    providers: shellProviders(process.env),
  });
  const { apiKey, projectName } = credentials;
  return { baseUrl, apiKey, projectName, isOwn: true, close };
};

/** The service of a data directory: the one that `npm start` runs there, else one that is started on the same data. */
export const demoService = async (directory: string): Promise<DemoService> =>
  (await runningService(directory)) ?? (await ownService(directory));
