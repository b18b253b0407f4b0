import type { TestProject } from "vitest/node";
import { type Service, startService } from "./service.ts";
import { type Storage, storageOf } from "./service-database.ts";

declare module "vitest" {
  interface ProvidedContext {
    service: Service;
    storage: Storage;
  }
}

/** Starts one service for all files that test the API. Its limits are far off; those have a service of their own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const running = await startService({ limitFactor: 100, checkGrants: true });
  const { baseUrl, tenant, stranger, hidden } = running;
  project.provide("service", { baseUrl, tenant, stranger, hidden });
  project.provide("storage", storageOf(running));
  return () => running.close();
}
