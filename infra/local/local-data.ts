import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openProcessRegister } from "./host/process-register.ts";

/**
 * Names of the files that the local runtime writes, except `builds`, a cache that can be rebuilt from the sources. Other files in
 * the data directory are never deleted.
 */
const runtimeFiles =
  /^(cdk\.out|compile-cache|logs|lambda-runtime(\.mjs)?|dynamodb\.sqlite.*|dynamodb-local|events\.jsonl|handlers|(credentials|events-sent|gateway-keys|issuer|pids|ready|schedules|streams|workers)\.json)$/;

/**
 * Deletes all local data of a directory, including the credentials.
 *
 * @throws Error when the local runtime is running on this directory.
 */
export const deleteLocalData = (directory: string): void => {
  if (!existsSync(directory)) return;
  // Kills processes that a killed run left behind: they could still write to the directory.
  openProcessRegister(directory);
  for (const name of readdirSync(directory))
    if (runtimeFiles.test(name)) rmSync(join(directory, name), { recursive: true, force: true });
};
