import { deleteProject, getProject } from "../../../lib/contract/access/projects.ts";
import type { Caller } from "../client/caller.ts";
import { saying } from "../client/exchange.ts";
import { fails, holds, notAsked, type Answer } from "../question.ts";
import { findProject } from "./find-project.ts";

/** Removes verify's project, and the key that it made in the project's organization. */
export const removeProject = async (user: Caller | null, projectName: string): Promise<Answer> => {
  const stays = `the project ${projectName} stays, empty`;
  if (user === null) return notAsked(`no --token was given: ${stays}`);
  const project = await findProject(user, projectName);
  if (project === null) return notAsked(`the token's user is not in the key's organization: ${stays}`);
  const params = { org_id: project.org_id };
  const made: string[] = [];
  for await (const { id, name } of user.client.each.listApiKeys({ path: params }))
    if (name === projectName) made.push(id);
  for (const key_id of made)
    await user.client.deleteApiKey({ path: { ...params, key_id }, query: { permanent: true } });
  const one = { params: { ...params, project_id: project.id } };
  const deleted = await user.call(deleteProject, one);
  if (deleted.status === 403) return notAsked(`the token's user does not own the organization: ${stays}`);
  if (deleted.status !== 204) return fails(`deleting answered ${saying(deleted)}: ${stays}`);
  const { status } = await user.call(getProject, one);
  return status === 404
    ? holds(`${projectName} is gone; what is left in the tables is removed in the background`)
    : fails(`${projectName} still answers ${status}`);
};
