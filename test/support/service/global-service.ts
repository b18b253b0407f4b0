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
    /** URL of a second trusted issuer, with which users sign in at the console. */
    oidcIssuer: string;
    /** Directory of the signing key of the service's token issuer. */
    issuerDirectory: string;
  }
}

/** Starts one service for all API test files that need no settings of their own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const oidc = await startOidcIssuer();
  const running = await startService({
    checkGrants: true,
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
    const denials = running.stack.denials.map(
      ({ functionName, action, resource }) => `${functionName}: ${action} on ${resource}`,
    );
    if (denials.length > 0)
      throw new Error(`Functions asked for more than their roles allow:\n${[...new Set(denials)].join("\n")}`);
  };
}
