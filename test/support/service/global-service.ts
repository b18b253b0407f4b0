import type { TestProject } from "vitest/node";
import { type Service, startService } from "./service.ts";
import { type Storage, storageOf } from "./service-database.ts";

declare module "vitest" {
  interface ProvidedContext {
    service: Service;
    storage: Storage;
    /** Where the service's issuer of tokens keeps its key. */
    issuerDirectory: string;
  }
}

/** Starts one service for all files that test the API. Its limits are far off; those have a service of their own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const running = await startService({ limitFactor: 100, checkGrants: true, warmFunctions: 200 });
  const { baseUrl, tenant, stranger, hidden } = running;
  project.provide("service", { baseUrl, tenant, stranger, hidden });
  project.provide("storage", storageOf(running));
  project.provide("issuerDirectory", running.directory);
  return () => running.close();
}
