import { collect } from "../use-paged-list.ts";
import { useLoad } from "../use-load.ts";
import { isAtLeast } from "../organizations.ts";
import { client } from "../sign-in.ts";
import { LocalTime } from "../parts/labels.tsx";
import { receiptColumns } from "../lists/receipt.tsx";
import { Section, type OrganizationProps } from "./section.tsx";

/** Max deletion receipts and audit events shown, the newest ones. */
const maxRecords = 100;

/** Settings section with deletion receipts of the organization's projects, of users of their traces, and of the user's deleted organizations. */
export const DeletionReceipts = ({ organization }: Partial<OrganizationProps>) => {
  const org_id = organization?.id;
  const list = useLoad(
    async (signal) => {
      const { each } = client.value;
      const ofProjects =
        org_id === undefined ? [] : await collect(each.listDeletions({ path: { org_id } }, { signal }), maxRecords);
      return [...ofProjects, ...(await collect(each.listMyDeletions(undefined, { signal }), maxRecords))];
    },
    [org_id],
  );
  return <Section title="Deletions" list={list} emptyText="Nothing was deleted." columns={receiptColumns} />;
};

/** Settings section with an organization's audit log, newest first; for admins and owners. */
export const Audit = ({ organization: { id: org_id, role } }: OrganizationProps) => {
  const canRead = isAtLeast(role, "ADMIN");
  const list = useLoad(
    async (signal) =>
      canRead ? await collect(client.value.each.listAuditEvents({ path: { org_id } }, { signal }), maxRecords) : [],
    [org_id, canRead],
  );
  return (
    <Section
      title="Audit"
      list={list}
      emptyText={canRead ? "No events yet." : "Only admins and owners can read the audit log."}
      columns={[
        ["Event", ({ action }) => action.replaceAll(/[._]/gu, " ")],
        ["When", ({ created_at: at }) => <LocalTime at={at} />],
        [
          "Details",
          ({ details }) => (
            <span dir="auto">
              {Object.entries(details)
                .map(([name, value]) => `${name.replaceAll("_", " ")}: ${value}`)
                .join(", ")}
            </span>
          ),
        ],
        [
          "Actor and target",
          ({ actor_type: type, actor_id: actor, target_id: target }) => (
            <details>
              <summary>{type === "API_KEY" ? "key" : "user"}</summary>
              <code>
                {actor}, {target}
              </code>
            </details>
          ),
        ],
      ]}
    >
      {list.value?.length === maxRecords && <p class="faint">The newest {maxRecords}; use the API for older ones.</p>}
    </Section>
  );
};
