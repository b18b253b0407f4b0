import { listLangfuseProjects } from "../../../lib/contract/langfuse/projects.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { organizationStore } from "../../../lib/store/access/organizations.ts";
import { connect } from "../../../lib/store/database.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";

const database = connect();
const organizations = organizationStore(database);

export const handler = endpoint(listLangfuseProjects, environmentGate(database), async ({ project }) => {
  const { id, name, organizationId } = project;
  const found = await organizations.named([organizationId]);
  const organization = { id: organizationId, name: found.get(organizationId)?.name ?? "" };
  const data = [{ id, name, organization, metadata: {} }];
  return { data };
});
