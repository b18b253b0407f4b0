import { useEffect } from "preact/hooks";
import { collect } from "../use-paged-list.ts";
import { organizations, projects } from "../organizations.ts";
import { useLoad } from "../use-load.ts";
import { InvitationSettings, MyInvitations } from "../settings/invitations.tsx";
import { ApiKeySettings } from "../settings/api-keys.tsx";
import { MemberSettings } from "../settings/members.tsx";
import { ProjectListSettings } from "../settings/projects.tsx";
import { Audit, DeletionReceipts } from "../settings/records.tsx";
import { Spend } from "../settings/spend.tsx";
import { Section } from "../settings/section.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { hrefTo, route, updateQuery } from "../route.ts";
import { client, currentViewer } from "../sign-in.ts";

/** Settings for an API key: its projects and the spend; the rest is for people only. */
const KeySettings = () => {
  const projects = useLoad((signal) => collect(client.value.each.listReachableProjects({}, { signal })), []);
  return (
    <main>
      <h1>Settings</h1>
      <p>
        You are signed in with an API key. To manage keys, members and invitations, sign out and sign in as a person.
      </p>
      <Section
        title="Projects of this key"
        list={projects}
        emptyText="No projects yet."
        columns={[
          ["Name", ({ name }) => <span dir="auto">{name}</span>],
          ["Description", ({ description }) => <span dir="auto">{description}</span>],
        ]}
      />
      <Spend />
    </main>
  );
};

/** Loads the user's organizations and, if the URL names none of them, finds the one of the current project. */
const organizationsOfViewer = async () => {
  const all = await organizations.load();
  const projectId = currentViewer.value?.kind === "token" ? currentViewer.value.projectId : null;
  const { org } = route.value.query;
  if (projectId === null || all.some(({ id }) => id === org)) return { all };
  for (const ofProject of all)
    if ((await projects.load(ofProject.id)).some(({ id }) => id === projectId)) return { all, ofProject };
  return { all };
};

const parts = ["Projects", "API keys", "Members", "Invitations", "Spend", "Deletions", "Audit"] as const;

const PersonSettings = () => {
  const me = useLoad((signal) => client.value.getMe(undefined, { signal }), []);
  // Selecting an organization does not reload the list, so text typed into the forms is kept.
  const organizationLoad = useLoad(organizationsOfViewer, []);
  const reload = (): void => {
    organizations.forget();
    organizationLoad.reload();
  };
  const { all = [], ofProject } = organizationLoad.value ?? {};
  const { org } = route.value.query;
  const organization = all.find(({ id }) => id === org) ?? ofProject ?? all[0];
  const userId = me.value?.id ?? null;
  // The URL gets the organization's id, so that a reload or a copied URL shows the same one.
  useEffect(() => {
    if (organization !== undefined && route.value.page === "settings") updateQuery({ org: organization.id });
  }, [organization?.id]);
  return (
    <main aria-busy={organizationLoad.isLoading}>
      <h1>Settings</h1>
      <ErrorAlert {...me} />
      <ErrorAlert {...organizationLoad} />
      {organizationLoad.value === null && organizationLoad.error === null && (
        <LoadingNote>Loading your organizations</LoadingNote>
      )}
      {organization !== undefined && (
        <p class="buttons">
          {all.length > 1 ? (
            <label>
              Organization{" "}
              <select value={organization.id} onChange={({ currentTarget: { value } }) => updateQuery({ org: value })}>
                {all.map(({ id, name }) => (
                  <option value={id}>{name}</option>
                ))}
              </select>
            </label>
          ) : (
            <b dir="auto">{organization.name}</b>
          )}
          <span>
            You are its {organization.role.toLowerCase()}
            {me.value !== null && me.value.email !== "" && `, as ${me.value.email}`}.
          </span>
        </p>
      )}
      <MyInvitations onAccept={reload} />
      {organization === undefined ? (
        organizationLoad.value !== null && (
          <>
            <p role="status">You are in no organization. Ask for an invitation.</p>
            <DeletionReceipts />
          </>
        )
      ) : organization.role === "LABELLER" ? (
        <ProjectListSettings key={organization.id} organization={organization} />
      ) : (
        <div class="settings-parts" key={organization.id}>
          <nav aria-label="Settings">
            {parts.map((section) => (
              <a
                href={hrefTo("settings", null, { org: organization.id, section })}
                aria-current={route.value.query["section"] === section ? "true" : undefined}
              >
                {section}
              </a>
            ))}
          </nav>
          <div>
            <ProjectListSettings organization={organization} />
            <ApiKeySettings organization={organization} userId={userId} />
            <MemberSettings organization={organization} userId={userId} onLeave={reload} />
            <InvitationSettings organization={organization} />
            <Spend />
            <DeletionReceipts organization={organization} />
            <Audit organization={organization} />
          </div>
        </div>
      )}
    </main>
  );
};

/** Page with the settings of an organization: projects, API keys, members, invitations, spend, deletions and audit log; of them a labeller may read the projects only. */
export const SettingsPage = () => (currentViewer.value?.kind === "key" ? <KeySettings /> : <PersonSettings />);
