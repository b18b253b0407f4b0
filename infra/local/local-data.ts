import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openProcessRegister } from "./host/process-register.ts";

/**
 * Everything the runtime writes but for `builds`, which follow from the sources; nothing else in the directory is touched.
 */
const ours =
  /^(cdk\.out|compile-cache|logs|lambda-runtime(\.mjs)?|dynamodb\.sqlite.*|dynamodb-local|events\.jsonl|handlers|(credentials|gateway-keys|issuer|pids|ready|schedules|streams|workers)\.json)$/;

/**
 * Deletes the local data, credentials included.
 *
 * @throws Error when the runtime is running on it.
 */
export const deleteLocalData = (directory: string): void => {
  if (!existsSync(directory)) return;
  // Ends what a killed run left behind; it may still be writing.
  openProcessRegister(directory);
  for (const name of readdirSync(directory))
    if (ours.test(name)) rmSync(join(directory, name), { recursive: true, force: true });
};
