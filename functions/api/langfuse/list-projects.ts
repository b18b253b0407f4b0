import { listLangfuseProjects } from "../../../lib/contract/langfuse/projects.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { organizationStore } from "../../../lib/store/access/organizations.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";

const database = connect();
const organizations = organizationStore(database);

export const handler = endpoint(listLangfuseProjects, environmentGuard(database), async ({ project }) => {
  const { id, name, organizationId } = project;
  const organizationsById = await organizations.findMany([organizationId]);
  const organization = { id: organizationId, name: organizationsById.get(organizationId)?.name ?? "" };
  const data = [{ id, name, organization, metadata: {} }];
  return { data };
});
