import { deleteProject, getProject } from "../../../lib/contract/access/projects.ts";
import type { Caller } from "../client/caller.ts";
import { replyExcerpt } from "../client/exchange.ts";
import { fail, pass, skip, type CheckResult } from "../check.ts";
import { findProject } from "./find-project.ts";

/** Deletes verify's temporary project, and the API key that the checks created in its organization. */
export const removeProject = async (user: Caller | null, projectName: string): Promise<CheckResult> => {
  const remainsText = `the empty project ${projectName} remains`;
  if (user === null) return skip(`no --token is set: ${remainsText}`);
  const project = await findProject(user, projectName);
  if (project === null) return skip(`the token's user is not in the key's organization: ${remainsText}`);
  const params = { org_id: project.org_id };
  const keyIds: string[] = [];
  for await (const { id, name } of user.client.each.listApiKeys({ path: params }))
    if (name === projectName) keyIds.push(id);
  for (const key_id of keyIds)
    await user.client.deleteApiKey({ path: { ...params, key_id }, query: { permanent: true } });
  const projectCall = { params: { ...params, project_id: project.id } };
  const deleted = await user.call(deleteProject, projectCall);
  if (deleted.status === 403) return skip(`the token's user does not own the organization: ${remainsText}`);
  if (deleted.status !== 204) return fail(`deleting answered ${replyExcerpt(deleted)}: ${remainsText}`);
  const { status } = await user.call(getProject, projectCall);
  return status === 404
    ? pass(`${projectName} is deleted; its remaining table entries are removed in the background`)
    : fail(`after the deletion, ${projectName} still answers ${status}`);
};
