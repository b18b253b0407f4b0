import type { Deletion } from "../../../client/interface.ts";
import { collected } from "../../collected.ts";
import { useLoad } from "../../load.ts";
import { isAtLeast } from "../../rights.ts";
import { client } from "../../sign-in.ts";
import { count } from "../../words.ts";
import { Instant } from "../instant.tsx";
import { Section, type SettingsOf } from "./section.tsx";

/** Records shown at most, the newest. */
const most = 100;

const Receipt = ({ name, kind, requested_at: at, status, removed, proved_empty_at: proved }: Deletion) => (
  <>
    <b dir="auto">{name}</b>
    <span class="faint">{kind.toLowerCase()}</span>
    <span>
      asked for <Instant at={at} />
    </span>
    <span class={proved === null ? "status busy" : "status good"}>
      {proved === null ? (
        status.toLowerCase()
      ) : (
        <>
          proved empty <Instant at={proved} />
        </>
      )}
    </span>
    <span class="faint">
      {Object.entries(removed)
        .map(([what, number]) => `${count(number)} ${what}`)
        .join(", ")}
    </span>
  </>
);

/** Receipts of what was deleted: an organization's projects, and organizations of the reader's own. */
export const Deletions = ({ organization }: Partial<SettingsOf>) => {
  const org_id = organization?.id;
  const list = useLoad(
    async (signal) => {
      const { each } = client.value;
      const ofProjects =
        org_id === undefined ? [] : await collected(each.listDeletions({ path: { org_id } }, { signal }), most);
      return [...ofProjects, ...(await collected(each.listMyDeletions(undefined, { signal }), most))];
    },
    [org_id],
  );
  return <Section title="Deletions" list={list} none="Nothing was deleted." item={Receipt} />;
};

/** What was done to an organization, newest first; for admins and owners. */
export const Audit = ({ organization: { id: org_id, role } }: SettingsOf) => {
  const mayRead = isAtLeast(role, "ADMIN");
  const list = useLoad(
    async (signal) =>
      mayRead ? await collected(client.value.each.listAuditEvents({ path: { org_id } }, { signal }), most) : [],
    [org_id, mayRead],
  );
  return (
    <Section
      title="Audit"
      list={list}
      none={mayRead ? "Nothing was done yet." : "Admins and owners read what was done here, and by whom."}
      item={({ action, actor_type: type, actor_id: actor, target_id: target, details, created_at: at }) => (
        <>
          <Instant at={at} />
          <b>{action.replaceAll(/[._]/gu, " ")}</b>
          <span class="faint" dir="auto">
            {Object.entries(details)
              .map(([name, value]) => `${name.replaceAll("_", " ")}: ${value}`)
              .join(", ")}
          </span>
          <details>
            <summary>who and what</summary>
            <code>
              {type === "API_KEY" ? "key" : "user"} {actor}, {target}
            </code>
          </details>
        </>
      )}
    >
      {list.value?.length === most && <p class="faint">The newest {most}; the interface has the others.</p>}
    </Section>
  );
};
