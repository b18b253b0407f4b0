import { randomUUID } from "node:crypto";
import { createApiKey } from "../../../lib/contract/access/api-keys.ts";
import { createProject } from "../../../lib/contract/access/projects.ts";
import type { people } from "../users.ts";
import { clientWith, type Client } from "./client.ts";
import type { Service } from "./service.ts";

/** A client with an API key, in a new project that declares some metadata keys of traces. */
export const declaringProject = async (
  service: Service,
  organization: ReturnType<typeof people>["organization"],
  metadata_keys: readonly string[],
): Promise<Client> => {
  const { owner, params } = await organization();
  const { raw_key: key } = await owner.answer(createApiKey, { params, body: { name: "k" } });
  const name = `p${randomUUID()}`;
  await owner.answer(createProject, { params, body: { name, metadata_keys } });
  return clientWith(service, { "X-API-Key": key ?? "", "X-Project-Name": name });
};
