import { useSignal } from "@preact/signals";
import { handleSubmit, bindText } from "../parts/form-bindings.ts";
import type { ApiKey } from "../../client/interface.ts";
import { collect } from "../use-paged-list.ts";
import { useLoad } from "../use-load.ts";
import { isAtLeast, projects } from "../organizations.ts";
import { client } from "../sign-in.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { LocalTime } from "../parts/labels.tsx";
import { ConfirmButton, useAction } from "../parts/action.tsx";
import { Select } from "../parts/controls.tsx";
import { Section, type OrganizationProps } from "./section.tsx";

/** Access levels of an API key with their descriptions. */
const accesses = {
  read: "read: read only",
  ingest: "ingest: send traces only",
  label: "label: label traces only, without their scores",
  full: "full: read and write all project data",
} as const satisfies Readonly<Record<ApiKey["access"], string>>;

const expirations = { "90d": "in 90 days", never: "never" } as const;

/** A new API key, whose secret is shown only once. */
const NewKey = ({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) => (
  <div class="empty" role="alert">
    <p>
      <b dir="auto">{apiKey.name}</b>: copy it now. It is not shown again.
    </p>
    <pre class="data">{apiKey.raw_key}</pre>
    <div class="buttons">
      <CopyButton text={apiKey.raw_key ?? ""}>Copy the key</CopyButton>
      <button type="button" onClick={onClose}>
        Done
      </button>
    </div>
  </div>
);

const Expiration = ({ apiKey: { is_active: isActive, expires_at: at } }: { readonly apiKey: ApiKey }) => {
  if (!isActive) return <span class="bad">revoked or expired</span>;
  return at === null ? <>never</> : <LocalTime at={at} />;
};

/** Buttons that rotate and revoke an active key; null for what the user may not do. */
const KeyActions = ({
  apiKey: { name, is_active: isActive, expires_at: at },
  onRotate,
  onRevoke,
}: {
  readonly apiKey: ApiKey;
  readonly onRotate: (() => void) | null;
  readonly onRevoke: (() => void) | null;
}) =>
  isActive && (
    <span class="buttons">
      {at !== null && onRotate !== null && (
        <button type="button" onClick={onRotate}>
          Rotate
        </button>
      )}
      {onRevoke !== null && (
        <ConfirmButton label="Revoke" question={`Revoke ${name}? Requests with it will fail.`} onConfirm={onRevoke} />
      )}
    </span>
  );

/** Settings section with an organization's API keys; what the user's role allows can be created, rotated and revoked. */
export const ApiKeySettings = ({
  organization: { id: org_id, role, key_makers: keyMakers },
  userId,
}: OrganizationProps & { readonly userId: string | null }) => {
  const list = useLoad((signal) => collect(client.value.each.listApiKeys({ path: { org_id } }, { signal })), [org_id]);
  const projectLoad = useLoad(() => projects.load(org_id), [org_id]);
  const { perform, isBusy, outcome } = useAction();
  const [name, access, project] = [useSignal(""), useSignal<keyof typeof accesses>("read"), useSignal("")];
  const [expiration, newKey] = [useSignal<"90d" | "never">("90d"), useSignal<ApiKey | null>(null)];
  const nameOf = (id: string | null): string =>
    id === null ? "every project" : (projectLoad.value?.find((each) => each.id === id)?.name ?? "one project");
  const showNewKey = async (request: Promise<ApiKey>): Promise<null> => {
    newKey.value = await request;
    name.value = "";
    list.reload();
    return null;
  };
  const create = () =>
    perform(() =>
      showNewKey(
        client.value.createApiKey({
          path: { org_id },
          body: {
            name: name.value,
            access: access.value,
            expiration: expiration.value,
            project_id: project.value === "" ? null : project.value,
          },
        }),
      ),
    );
  const rotate = (key_id: string) => perform(() => showNewKey(client.value.rotateApiKey({ path: { org_id, key_id } })));
  const revoke = (key_id: string, label: string) =>
    perform(async () => {
      await client.value.deleteApiKey({ path: { org_id, key_id } });
      list.reload();
      return `${label} is revoked and stops working within 5 seconds.`;
    });
  const canCreate = isAtLeast(role, keyMakers);
  return (
    <Section
      title="API keys"
      list={list}
      emptyText="No keys yet."
      columns={[
        ["Name", ({ name: label }) => <span dir="auto">{label}</span>],
        ["Key", ({ key_prefix: prefix }) => <code>{prefix}…</code>],
        ["Access", ({ access: of }) => of],
        ["Project", ({ project_id: id }) => <span dir="auto">{nameOf(id)}</span>],
        ["Expires", (apiKey) => <Expiration apiKey={apiKey} />],
        [
          <span class="unseen">Actions</span>,
          (key) => (
            <KeyActions
              apiKey={key}
              onRotate={isAtLeast(role, "ADMIN") && canCreate ? () => void rotate(key.id) : null}
              onRevoke={
                isAtLeast(role, "ADMIN") || key.created_by === userId ? () => void revoke(key.id, key.name) : null
              }
            />
          ),
        ],
      ]}
    >
      {newKey.value !== null && <NewKey apiKey={newKey.value} onClose={() => (newKey.value = null)} />}
      {canCreate ? (
        <form class="buttons" onSubmit={handleSubmit(create)}>
          <label>
            Key name <input required {...bindText(name)} />
          </label>
          <label>
            Access <Select value={access.value} options={accesses} onSelect={(value) => (access.value = value)} />
          </label>
          <label>
            Project{" "}
            <select {...bindText(project)}>
              <option value="">every project</option>
              {(projectLoad.value ?? []).map((each) => (
                <option value={each.id}>{each.name}</option>
              ))}
            </select>
          </label>
          <label>
            Expires{" "}
            <Select value={expiration.value} options={expirations} onSelect={(value) => (expiration.value = value)} />
          </label>
          <button type="submit" disabled={isBusy}>
            Create key
          </button>
        </form>
      ) : (
        <p class="faint">Only {keyMakers === "OWNER" ? "owners" : "admins and owners"} can create keys.</p>
      )}
      {outcome}
    </Section>
  );
};
