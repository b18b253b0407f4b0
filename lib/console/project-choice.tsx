import { useEffect } from "preact/hooks";
import type { Project } from "../client/interface.ts";
import { projectBeyond } from "./beyond-list.ts";
import { collected } from "./collected.ts";
import {
  client,
  isNowhere,
  lastProject,
  mayWrite,
  noteProject,
  reader,
  signIn,
  signOut,
  type Reader,
} from "./sign-in.ts";
import { useLoad } from "./load.ts";
import { quiet } from "./quiet.ts";

interface Choice {
  /** By which the reader's credential names it: an id for a token, a name for a key. */
  readonly key: string;
  readonly label: string;
  readonly id: string;
  readonly name: string;
}

/** Projects read at most: more are not chosen from a list. */
const most = 500;

const ofToken = async (current: string | null): Promise<readonly Choice[]> => {
  const choices: Choice[] = [];
  const organizations = await collected(client.value.each.listOrganizations());
  const choiceOf = (organization: { readonly name: string }, { id, name }: Project): Choice => ({
    key: id,
    label: `${organization.name} / ${name}`,
    id,
    name,
  });
  for (const organization of organizations) {
    const projects = client.value.each.listProjects({ path: { org_id: organization.id } });
    for await (const project of projects) {
      choices.push(choiceOf(organization, project));
      if (choices.length < most) continue;
      const isListed = choices.some(({ id }) => id === current);
      const own = isListed ? null : await projectBeyond(organizations, current);
      return own === null ? choices : [choiceOf(own.organization, own.project), ...choices];
    }
  }
  return choices;
};

const ofKey = async (): Promise<readonly Choice[]> => {
  const choices: Choice[] = [];
  for await (const { id, name } of client.value.each.listReachableProjects()) {
    choices.push({ key: name, label: name, id, name });
    if (choices.length === most) return choices;
  }
  return choices;
};

/** What a project is called before its name is known. */
const shownMeanwhile = (who: Reader, current: string | null): string => {
  const last = lastProject();
  if (who.kind === "key") return current ?? "…";
  return last.id === current && last.name !== null ? last.name : "…";
};

/** The project that everything shown belongs to. */
export const ProjectChoice = () => {
  const who = reader.value;
  const current = who?.kind === "key" ? who.projectName : (who?.projectId ?? null);
  const { value: choices } = useLoad(async () => {
    // What is asked here is under way, too.
    if (current !== null) await quiet(1);
    return await (who?.kind === "key" ? ofKey() : ofToken(current));
  }, [who]);
  const found = choices?.find(({ key }) => key === current);
  const first = choices?.[0];
  // Somebody else may have read before, and what they read may be out of reach.
  const isLost = found === undefined && choices !== null && choices.length < most;
  useEffect(() => {
    isNowhere.value = choices?.length === 0;
    if (found !== undefined) noteProject({ id: found.id, name: found.name });
    else if (isLost && first !== undefined && who?.kind === "token") signIn({ ...who, projectId: first.key });
  }, [choices, current]);
  if (who === null) return null;
  return (
    <div class="who">
      {choices?.length !== 0 && (
        <label>
          <span class="unseen">Project</span>
          <select
            value={current ?? ""}
            onChange={({ currentTarget: { value } }) =>
              signIn(who.kind === "key" ? { ...who, projectName: value } : { ...who, projectId: value })
            }
          >
            {found === undefined && <option value={current ?? ""}>{shownMeanwhile(who, current)}</option>}
            {(choices ?? []).map(({ key, label }) => (
              <option value={key}>{label}</option>
            ))}
          </select>
        </label>
      )}
      {!mayWrite.value && <span class="faint">read-only key</span>}
      <button type="button" class="quiet" onClick={() => signOut()}>
        Sign out
      </button>
    </div>
  );
};
