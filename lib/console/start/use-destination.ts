import type { OrganizationWithRole } from "../../client/interface.ts";
import { findProject } from "../organizations.ts";
import { client, currentViewer } from "../sign-in.ts";
import { useLoad, type LoadState } from "../use-load.ts";
import { collect } from "../use-paged-list.ts";

/** The displayed project, as programs name it. */
export interface DestinationProject {
  readonly name: string;
  /** Id and organization for a signed-in user; null for an API key, which cannot create keys. */
  readonly place: { readonly projectId: string; readonly organization: OrganizationWithRole } | null;
}

/** Loads the name of the displayed project and the user's role in its organization. */
export const useDestination = (): LoadState<DestinationProject> =>
  useLoad(async (signal) => {
    const viewer = currentViewer.value;
    if (viewer?.kind === "key") return { name: viewer.projectName, place: null };
    const organizations = await collect(client.value.each.listOrganizations(undefined, { signal }));
    const match = await findProject(organizations, viewer?.projectId ?? null);
    if (match === null) throw new Error("The project was deleted, or you are no longer a member of its organization.");
    const { organization, project } = match;
    return { name: project.name, place: { projectId: project.id, organization } };
  }, []);
