import { client, reader, signIn, signOut } from "./sign-in.ts";
import { useLoad } from "./load.ts";

interface Choice {
  readonly id: string;
  readonly label: string;
}

/** Projects read at most: more are not chosen from a list. */
const most = 500;

const ofToken = async (): Promise<readonly Choice[]> => {
  const choices: Choice[] = [];
  for await (const organization of client.value.each.listOrganizations()) {
    const projects = client.value.each.listProjects({ path: { org_id: organization.id } });
    for await (const { id, name } of projects) {
      choices.push({ id, label: `${organization.name} / ${name}` });
      if (choices.length === most) return choices;
    }
  }
  return choices;
};

const ofKey = async (): Promise<readonly Choice[]> => {
  const choices: Choice[] = [];
  for await (const { name } of client.value.each.listReachableProjects()) {
    choices.push({ id: name, label: name });
    if (choices.length === most) return choices;
  }
  return choices;
};

/** The project that everything shown belongs to. */
export const ProjectChoice = () => {
  const who = reader.value;
  const { value: choices } = useLoad(() => (who?.kind === "key" ? ofKey() : ofToken()), [who]);
  if (who === null) return null;
  const current = who.kind === "key" ? who.projectName : who.projectId;
  const first = choices?.[0];
  if (current === null && first !== undefined && who.kind === "token") signIn({ ...who, projectId: first.id });
  return (
    <div class="who">
      <label>
        <span class="unseen">Project</span>
        <select
          value={current ?? ""}
          onChange={({ currentTarget: { value } }) =>
            signIn(who.kind === "key" ? { ...who, projectName: value } : { ...who, projectId: value })
          }
        >
          {(choices ?? []).every(({ id }) => id !== current) && <option value={current ?? ""}>{current ?? "…"}</option>}
          {(choices ?? []).map(({ id, label }) => (
            <option value={id}>{label}</option>
          ))}
        </select>
      </label>
      <button type="button" class="quiet" onClick={() => signOut()}>
        Sign out
      </button>
    </div>
  );
};
