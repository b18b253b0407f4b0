import { join } from "node:path";
import * as v from "valibot";
import { createClient } from "../../../lib/client/client.ts";
import type { Caller } from "../curl.ts";
import { readJson } from "../host/json-file.ts";
import { startLocal } from "../local-stack.ts";
import { shellProviders } from "../ssm/shell-providers.ts";

/** A running local service that the demo uses. */
export interface DemoService extends Caller {
  /** True if the service was started for the demo and stops with it. */
  readonly isTemporary: boolean;
  close(): Promise<void>;
}

const readyFile = v.object({ base_url: v.string(), api_key: v.string(), project_name: v.string() });

/** Finds the service that runs on a data directory; null when no service answers. */
const findRunningService = async (directory: string): Promise<DemoService | null> => {
  const readyJson = readJson(join(directory, "ready.json"));
  if (readyJson === undefined) return null;
  const { base_url: baseUrl, api_key: apiKey, project_name: projectName } = v.parse(readyFile, readyJson);
  const health = createClient({ baseUrl, timeout: 5_000, retries: 0 }).getHealth();
  return health.then(
    () => ({ baseUrl, apiKey, projectName, isTemporary: false, close: async () => {} }),
    () => null,
  );
};

const startTemporaryService = async (directory: string): Promise<DemoService> => {
  const { baseUrl, credentials, close } = await startLocal({
    directory,
    port: 0,
    judgeModel: process.env["JUDGE_MODEL"] ?? "offline/rules",
    embeddingModel: process.env["EMBEDDING_MODEL"],
    providers: shellProviders(process.env),
  });
  const { apiKey, projectName } = credentials;
  return { baseUrl, apiKey, projectName, isTemporary: true, close };
};

/** Returns the service that `npm start` runs on a data directory, or starts a temporary service on the same data. */
export const demoService = async (directory: string): Promise<DemoService> =>
  (await findRunningService(directory)) ?? (await startTemporaryService(directory));
