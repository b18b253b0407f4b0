import { NotFoundError } from "../client/errors.ts";
import type { Organization, Project } from "../client/interface.ts";
import { client } from "./sign-in.ts";

/** A project that is not among those that were listed, with its organization; null where none of these has it. */
export const projectBeyond = async <Own extends Pick<Organization, "id">>(
  organizations: readonly Own[],
  id: string | null,
): Promise<{ readonly organization: Own; readonly project: Project } | null> => {
  if (id === null) return null;
  for (const organization of organizations) {
    try {
      const project = await client.value.getProject({ path: { org_id: organization.id, project_id: id } });
      return { organization, project };
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
    }
  }
  return null;
};
