import type { TestProject } from "vitest/node";
import { startOidcIssuer } from "../oidc-issuer.ts";
import { type Service, startService } from "./service.ts";
import { type Storage, storageOf } from "./service-database.ts";
import { type Scheduling, schedulingOf } from "./service-schedules.ts";

declare module "vitest" {
  interface ProvidedContext {
    service: Service;
    storage: Storage;
    scheduling: Scheduling;
    /** Another issuer of the service's, by which people sign in at the console. */
    oidcIssuer: string;
    /** Where the service's issuer of tokens keeps its key. */
    issuerDirectory: string;
  }
}

/** Starts one service for all files that test the API. Its limits are far off; those have a service of their own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const oidc = await startOidcIssuer();
  const running = await startService({
    limitFactor: 100,
    checkGrants: true,
    warmFunctions: 200,
    // Two calls of a function can be under way together; with more sandboxes of each, a sixth of all time goes into their starts.
    sandboxesPerFunction: 2,
    issuers: [oidc.setting],
  });
  const { baseUrl, tenant, stranger, hidden } = running;
  project.provide("service", { baseUrl, tenant, stranger, hidden });
  project.provide("storage", storageOf(running));
  project.provide("scheduling", schedulingOf(running));
  project.provide("issuerDirectory", running.directory);
  project.provide("oidcIssuer", oidc.url);
  return async () => {
    await running.close();
    await oidc.close();
  };
}
