import type { Membership } from "../../client/interface.ts";
import { collect } from "../use-paged-list.ts";
import { useLoad } from "../use-load.ts";
import type { Role } from "../../domain/access/role.ts";
import { isAtLeast, memberName, roleWords } from "../organizations.ts";
import { client } from "../sign-in.ts";
import { plural } from "../format.ts";
import { ConfirmButton, useAction } from "../parts/action.tsx";
import { Select } from "../parts/controls.tsx";
import { Section, type OrganizationProps } from "./section.tsx";

/** True if the user may remove a member: owners remove everybody but owners, admins remove members and labellers, and everyone can leave. */
const canRemove = (role: Role, member: Membership, isSelf: boolean): boolean =>
  isSelf || (role === "OWNER" && member.role !== "OWNER") || (role === "ADMIN" && !isAtLeast(member.role, "ADMIN"));

/** Settings section with an organization's members, to change their roles or remove them. */
export const MemberSettings = ({
  organization: { id: org_id, role, name: organizationName },
  userId,
  onLeave,
}: OrganizationProps & { readonly userId: string | null; readonly onLeave: () => void }) => {
  const list = useLoad((signal) => collect(client.value.each.listMembers({ path: { org_id } }, { signal })), [org_id]);
  const { perform, outcome } = useAction();
  const change = (member: Membership, next: Role) =>
    perform(async () => {
      await client.value.updateMember({ path: { org_id, user_id: member.user_id }, body: { role: next } });
      list.reload();
      return `${member.display_name} is now ${next.toLowerCase()}.`;
    });
  const remove = (member: Membership, isSelf: boolean) =>
    perform(async () => {
      const report = await client.value.removeMember({ path: { org_id, user_id: member.user_id } });
      if (isSelf) onLeave();
      else list.reload();
      const remainingKeys = report === undefined ? 0 : report.remaining_keys.length;
      const keysNote =
        remainingKeys === 0 ? "" : ` ${plural(remainingKeys, "key")} that they created still work: see API keys.`;
      return `${member.display_name} is removed.${keysNote}`;
    });
  return (
    <Section
      title="Members"
      list={list}
      emptyText="No members."
      columns={[
        ["Name", (member) => <span dir="auto">{memberName(member)}</span>],
        [
          "E-mail address",
          ({ email, user_id: id }) => (
            <span dir="auto">
              {email}
              {id === userId && " (you)"}
            </span>
          ),
        ],
        [
          "Role",
          (member) =>
            role === "OWNER" && member.user_id !== userId && member.role !== "OWNER" ? (
              <Select<Role>
                label={`Role of ${memberName(member)}`}
                value={member.role}
                options={roleWords}
                onSelect={(next) => void change(member, next)}
              />
            ) : (
              member.role.toLowerCase()
            ),
        ],
        [
          <span class="unseen">Actions</span>,
          (member) => {
            const isSelf = member.user_id === userId;
            return (
              canRemove(role, member, isSelf) && (
                <ConfirmButton
                  label={isSelf ? "Leave" : "Remove"}
                  question={isSelf ? `Leave ${organizationName}?` : `Remove ${memberName(member)}?`}
                  onConfirm={() => void remove(member, isSelf)}
                />
              )
            );
          },
        ],
      ]}
    >
      {role === "MEMBER" && <p class="faint">Only owners change roles; only admins and owners remove members.</p>}
      {outcome}
    </Section>
  );
};
