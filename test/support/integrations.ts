import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Client, clientWith } from "./service/client.ts";
import type { Service } from "./service/service.ts";

/** A recorded request body of a real SDK, from `test/fixtures/integrations`. */
export const recorded = (name: string): Buffer =>
  readFileSync(join(import.meta.dirname, "../fixtures/integrations", name));

/**
 * A client with a public and a secret key, as Langfuse's SDKs have, and a client of the same project with this
 * service's headers.
 */
export const langfuseProgram = (service: Service): { readonly program: Client; readonly project: Client } => {
  const name = `test-${randomUUID()}`;
  const keys = Buffer.from(`${name}:${service.tenant.apiKey}`).toString("base64");
  return {
    program: clientWith(service, { Authorization: `Basic ${keys}` }),
    project: clientWith(service, { "X-API-Key": service.tenant.apiKey, "X-Project-Name": name }),
  };
};
