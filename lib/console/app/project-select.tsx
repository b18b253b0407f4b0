import { useEffect } from "preact/hooks";
import type { OrganizationWithRole, Project } from "../../client/interface.ts";
import { findProject, organizations, projects } from "../organizations.ts";
import {
  canWrite,
  client,
  hasNoProjects,
  isLabeller,
  lastProject,
  saveLastProject,
  currentViewer,
  signIn,
  type Viewer,
} from "../sign-in.ts";
import { route, updateQuery } from "../route.ts";
import { useLoad } from "../use-load.ts";
import { whenIdle } from "../in-flight.ts";

interface Choice {
  /** Value that the credential identifies the project by: its id for a token, its name for an API key. */
  readonly key: string;
  readonly label: string;
  readonly id: string;
  readonly name: string;
  readonly isOfLabeller: boolean;
}

/** Max projects in the list. */
const maxProjects = 500;

/** Milliseconds after which a user's list that could not be read is read again: without one the project has no name. */
const retryInterval = 5_000;

const choicesOfToken = async (current: string | null): Promise<readonly Choice[]> => {
  const choices: Choice[] = [];
  const ownOrganizations = await organizations.load();
  const choiceOf = (organization: OrganizationWithRole, { id, name }: Project): Choice => ({
    key: id,
    label: `${organization.name} / ${name}`,
    id,
    name,
    isOfLabeller: organization.role === "LABELLER",
  });
  for (const organization of ownOrganizations) {
    for (const project of await projects.load(organization.id)) {
      choices.push(choiceOf(organization, project));
      if (choices.length < maxProjects) continue;
      const isListed = choices.some(({ id }) => id === current);
      const match = isListed ? null : await findProject(ownOrganizations, current);
      return match === null ? choices : [choiceOf(match.organization, match.project), ...choices];
    }
  }
  return choices;
};

const choicesOfKey = async (): Promise<readonly Choice[]> => {
  const choices: Choice[] = [];
  for await (const { id, name } of client.value.each.listReachableProjects()) {
    choices.push({ key: name, label: name, id, name, isOfLabeller: false });
    if (choices.length === maxProjects) return choices;
  }
  return choices;
};

/** Returns the label of the current project while the projects are loading. */
const fallbackName = (viewer: Viewer, current: string | null): string => {
  const last = lastProject();
  if (viewer.kind === "key") return current ?? "…";
  return last.id === current && last.name !== null ? last.name : "…";
};

/** Select field for the project whose data all pages show. */
export const ProjectSelect = () => {
  const viewer = currentViewer.value;
  const current = viewer?.kind === "key" ? viewer.projectName : (viewer?.projectId ?? null);
  const {
    value: choices,
    error,
    reload,
  } = useLoad(
    async () => {
      if (current !== null) await whenIdle();
      return await (viewer?.kind === "key" ? choicesOfKey() : choicesOfToken(current));
    },
    [viewer],
    viewer?.kind === "token" ? retryInterval : null,
    (list) => list === null,
  );
  const version = organizations.version.value + projects.version.value;
  useEffect(() => {
    if (version > 0) reload();
  }, [version]);
  const selection = choices?.find(({ key }) => key === current);
  const first = choices?.[0];
  // The stored project may be of another user of this tab: the first project replaces it.
  const isUnreachable = selection === undefined && choices !== null && choices.length < maxProjects;
  useEffect(() => {
    hasNoProjects.value = choices?.length === 0;
    if (selection !== undefined) saveLastProject(selection);
    else if (isUnreachable && first !== undefined && viewer?.kind === "token") {
      saveLastProject(first);
      signIn({ ...viewer, projectId: first.key });
    }
  }, [choices, current]);
  // Links in notifications name the project of what they open.
  const linkedId = route.value.query["project"];
  useEffect(() => {
    if (linkedId === undefined || viewer === null || (viewer.kind === "key" && choices === null && error === null))
      return;
    const linked = choices?.find(({ id }) => id === linkedId);
    if (viewer.kind === "token") signIn({ ...viewer, projectId: linkedId });
    else if (linked !== undefined) signIn({ ...viewer, projectName: linked.name });
    updateQuery({ project: null });
  }, [linkedId, choices, error]);
  if (viewer === null) return null;
  return (
    <div class="who">
      {choices?.length !== 0 && (
        <label>
          <span class="unseen">Project</span>
          <select
            value={current ?? ""}
            onChange={({ currentTarget: { value } }) =>
              signIn(viewer.kind === "key" ? { ...viewer, projectName: value } : { ...viewer, projectId: value })
            }
          >
            {selection === undefined && <option value={current ?? ""}>{fallbackName(viewer, current)}</option>}
            {(choices ?? []).map(({ key, label }) => (
              <option value={key}>{label}</option>
            ))}
          </select>
        </label>
      )}
      {!canWrite.value && !isLabeller.value && <span class="faint">read-only key</span>}
    </div>
  );
};
