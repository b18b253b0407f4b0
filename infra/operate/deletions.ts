import { operator } from "../../lib/domain/access/principal.ts";
import { offsetPage } from "../../lib/domain/page.ts";
import type { Database } from "../../lib/dynamo/database.ts";
import { projectNotFound } from "../../lib/http/access/reply.ts";
import { organizationsOfProjects } from "../../lib/store/access/organizations-of-projects.ts";
import { projectStore } from "../../lib/store/access/projects.ts";
import { deletionRequests } from "../../lib/store/deletion/requests.ts";
import { confirm, type Ask } from "./confirm.ts";
import { findOrganization } from "./find-organization.ts";

/** Dependencies of the commands that delete. */
interface DeletionDependencies {
  readonly yes: boolean;
  readonly ask: Ask;
  readonly print: (line: string) => void;
}

const report = (print: (line: string) => void, isRequested: boolean, name: string, id: string): void => {
  if (!isRequested) throw new Error(`${name} was changed at the same time. Try again.`);
  print(`Deleted: ${name}  ${id}. Workers erase the data; the receipt is stored under this id.`);
};

/** Deletes a project with its data after a confirmation. @throws Refusal `not-found`. */
export const deleteProject = async (
  database: Database,
  id: string,
  { yes, ask, print }: DeletionDependencies,
): Promise<void> => {
  const organizationId = await organizationsOfProjects(database)(id);
  const project = organizationId === null ? null : await projectStore(database).find(organizationId, id);
  if (project === null) throw projectNotFound(id);
  await confirm(`Project ${id} and all its data will be deleted`, project.name, { yes, ask });
  report(print, await deletionRequests(database).ofProject(project, operator.userId), project.name, id);
};

/** Deletes an organization with its projects and their data after a confirmation. @throws Error if it does not exist. */
export const deleteOrganization = async (
  database: Database,
  id: string,
  { yes, ask, print }: DeletionDependencies,
): Promise<void> => {
  const organization = await findOrganization(database, id);
  const { total } = await projectStore(database).page(id, offsetPage(0, 0));
  const effect = `Organization ${id}, its API keys and its projects (${total}) with all their data will be deleted`;
  await confirm(effect, organization.name, { yes, ask });
  const isRequested = await deletionRequests(database).ofOrganization(organization, operator.userId, false);
  report(print, isRequested, organization.name, id);
};
