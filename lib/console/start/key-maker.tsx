import type { Signal } from "@preact/signals";
import { isAtLeast } from "../organizations.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { useAction } from "../parts/action.tsx";
import { canWrite, client } from "../sign-in.ts";
import type { DestinationProject } from "./use-destination.ts";

/** Button that creates a key for sending traces to one project, or a note on who can; the secret stays in memory only. */
export const KeyMaker = ({
  project: { name, place },
  rawKey,
}: {
  readonly project: DestinationProject;
  /** Secret of the created key; null before. */
  readonly rawKey: Signal<string | null>;
}) => {
  const { perform, isBusy, errorAlert } = useAction();
  if (rawKey.value !== null)
    return (
      <div class="empty" role="status">
        <p>
          The key is in the commands below. Copy it now: it is not shown again. It can only send traces to this project,
          for 90 days.
        </p>
        <CopyButton text={rawKey.value}>Copy the key</CopyButton>
      </div>
    );
  if (place === null)
    return (
      <p>
        {canWrite.value
          ? "Replace sk_as_... by the key that you signed in with."
          : "Your key is read-only. Ask an admin or owner of the organization for a key with the access ingest or full."}
      </p>
    );
  const { projectId, organization } = place;
  const { role, key_makers: keyMakers } = organization;
  if (!isAtLeast(role, keyMakers))
    return (
      <p>
        Replace sk_as_... by a key. Only {keyMakers === "OWNER" ? "owners" : "admins and owners"} of{" "}
        <b dir="auto">{organization.name}</b> can create keys: ask one of them for a key with the access ingest.
      </p>
    );
  const create = () =>
    perform(async () => {
      const { raw_key: secret } = await client.value.createApiKey({
        path: { org_id: organization.id },
        body: { name: `Traces of ${name}`, access: "ingest", expiration: "90d", project_id: projectId },
      });
      rawKey.value = secret;
    });
  return (
    <div class="buttons">
      <button type="button" class="main" disabled={isBusy} onClick={() => void create()}>
        Create a key
      </button>
      <span class="faint">It can only send traces to this project, for 90 days.</span>
      {errorAlert}
    </div>
  );
};
