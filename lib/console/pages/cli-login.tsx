import { useSignal } from "@preact/signals";
import { handleSubmit } from "../parts/form-bindings.ts";
import { callbackUrl, parseCliLogin, type CliLoginRequest } from "../cli-login.ts";
import { findProject, isAtLeast } from "../organizations.ts";
import { collect } from "../use-paged-list.ts";
import { useLoad } from "../use-load.ts";
import { Select } from "../parts/controls.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { hrefTo, route } from "../route.ts";
import { client, lastProject, signOutIfUnauthorized, currentViewer, signOut } from "../sign-in.ts";
import { truncateWithEllipsis } from "../format.ts";

const loadProjects = async (signal: AbortSignal) => {
  const { each } = client.value;
  const organizations = await collect(each.listOrganizations(undefined, { signal }));
  const choices = await Promise.all(
    organizations.map(async (organization) => ({
      organization,
      projects: await collect(each.listProjects({ path: { org_id: organization.id } }, { signal })),
    })),
  );
  const { id } = lastProject();
  if (choices.some(({ projects }) => projects.some((project) => project.id === id))) return choices;
  const lastUsed = await findProject(organizations, id);
  return choices.map(({ organization, projects }) => ({
    organization,
    projects: lastUsed?.organization === organization ? [lastUsed.project, ...projects] : projects,
  }));
};

/** Consent form: the user selects a project and lets a command-line client on this machine get an API key. */
const Consent = ({ request }: { readonly request: CliLoginRequest }) => {
  const me = useLoad((signal) => client.value.getMe(undefined, { signal }), []);
  const choices = useLoad(loadProjects, []);
  const [selectedId, scope] = [useSignal<string | null>(null), useSignal<"project" | "organization">("project")];
  const [error, isLeaving] = [useSignal<unknown>(null), useSignal(false)];
  const projectChoices = (choices.value ?? []).flatMap(({ organization, projects }) =>
    projects.map((project) => ({ organization, project })),
  );
  const first = projectChoices.find(({ project }) => project.id === lastProject().id) ?? projectChoices[0];
  const choice = projectChoices.find(({ project }) => project.id === selectedId.value) ?? first;
  const isForbidden = choice !== undefined && !isAtLeast(choice.organization.role, choice.organization.key_makers);
  const authorize = async (): Promise<void> => {
    if (choice === undefined) return;
    isLeaving.value = true;
    error.value = null;
    try {
      const { code } = await client.value.createCliCode({
        body: {
          org_id: choice.organization.id,
          project_id: choice.project.id,
          scope: scope.value,
          code_challenge: request.challenge,
          code_challenge_method: "S256",
          ...(request.label === null ? {} : { label: request.label }),
        },
      });
      location.replace(callbackUrl(request, { code }));
    } catch (thrown) {
      signOutIfUnauthorized(thrown);
      error.value = thrown;
      isLeaving.value = false;
    }
  };
  const cancel = (): void =>
    location.replace(callbackUrl(request, { error: "access_denied", error_description: "The sign-in was refused." }));
  return (
    <main class="sign-in">
      <h1>Sign a command line in?</h1>
      <p>
        {request.label === null ? "A command line" : <b>{truncateWithEllipsis(request.label, 80)}</b>}
        {request.version !== null && ` (version ${truncateWithEllipsis(request.version, 40)})`} on this machine requests
        an API key for 90 days. Authorize it only if you just started this in your own terminal.
      </p>
      <p>
        You are{" "}
        <b>
          {me.value === null ? "…" : `${me.value.display_name}${me.value.email === "" ? "" : `, ${me.value.email}`}`}
        </b>
        .
      </p>
      <ErrorAlert {...me} />
      <ErrorAlert {...choices} />
      {choices.value !== null && choice === undefined && (
        <p role="status">
          No project yet. Create one in <a href={hrefTo("settings")}>Settings</a>.
        </p>
      )}
      {choice !== undefined && (
        <form onSubmit={handleSubmit(authorize)}>
          <label>
            Default project
            <select value={choice.project.id} onChange={({ currentTarget: { value } }) => (selectedId.value = value)}>
              {(choices.value ?? []).map(({ organization, projects }) => (
                <optgroup label={organization.name}>
                  {projects.map(({ id, name }) => (
                    <option value={id}>{name}</option>
                  ))}
                </optgroup>
              ))}
            </select>
          </label>
          <label>
            Access of the key
            <Select
              value={scope.value}
              options={{ project: "this project only", organization: `every project of ${choice.organization.name}` }}
              onSelect={(value) => (scope.value = value)}
            />
          </label>
          {isForbidden && (
            <p role="status">
              Your role, {choice.organization.role.toLowerCase()}, cannot create API keys in {choice.organization.name}.
            </p>
          )}
          <div class="buttons">
            <button type="submit" class="main" disabled={isForbidden || isLeaving.value}>
              {isLeaving.value ? "Returning to the command line …" : "Authorize"}
            </button>
            <button type="button" onClick={cancel}>
              Cancel
            </button>
          </div>
        </form>
      )}
      <ErrorAlert error={error.value} reload={() => void authorize()} isSeparate />
    </main>
  );
};

/** Page that command-line clients open to sign a user in. */
export const CliLoginPage = () => {
  const request = parseCliLogin(route.value.query);
  if (typeof request === "string")
    return (
      <main class="sign-in">
        <h1>Invalid sign-in link</h1>
        <p role="alert">The link is invalid: {request}. Start again in the terminal. Nothing was sent.</p>
      </main>
    );
  if (currentViewer.value?.kind === "key")
    return (
      <main class="sign-in">
        <h1>Sign a command line in?</h1>
        <p>
          A command line signs in as a person, and you are signed in with an API key. Give that key to the command line
          itself.
        </p>
        <button type="button" class="main" onClick={() => signOut()}>
          Sign in as a person
        </button>
      </main>
    );
  return <Consent request={request} />;
};
