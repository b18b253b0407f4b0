import { useSignal } from "@preact/signals";
import { handleSubmit, bindText } from "../parts/form-bindings.ts";
import { collect } from "../use-paged-list.ts";
import { useLoad } from "../use-load.ts";
import { isAtLeast, roleWords } from "../organizations.ts";
import { client } from "../sign-in.ts";
import { LocalTime } from "../parts/labels.tsx";
import { ConfirmButton, useAction } from "../parts/action.tsx";
import { Select } from "../parts/controls.tsx";
import { Section, type OrganizationProps } from "./section.tsx";

const { OWNER: _, ...ownersChoice } = roleWords;
const { ADMIN: __, ...adminsChoice } = ownersChoice;
type InvitedRole = keyof typeof ownersChoice;

/** Settings section with an organization's sent invitations, and a form for admins and owners to send one. */
export const InvitationSettings = ({ organization: { id: org_id, role } }: OrganizationProps) => {
  const list = useLoad(
    (signal) => collect(client.value.each.listInvitations({ path: { org_id } }, { signal })),
    [org_id],
  );
  const { perform, isBusy, outcome } = useAction();
  const [email, invitedRole] = [useSignal(""), useSignal<InvitedRole>("MEMBER")];
  const canInvite = isAtLeast(role, "ADMIN");
  const send = () =>
    perform(async () => {
      const invitation = await client.value.createInvitation({
        path: { org_id },
        body: { email: email.value, role: invitedRole.value },
      });
      email.value = "";
      list.reload();
      return `${invitation.email} finds the invitation here after signing in with that address.`;
    });
  const withdraw = (invitation_id: string, address: string) =>
    perform(async () => {
      await client.value.revokeInvitation({ path: { org_id, invitation_id } });
      list.reload();
      return `The invitation for ${address} is withdrawn.`;
    });
  return (
    <Section
      title="Invitations"
      list={list}
      emptyText="No invitations."
      columns={[
        ["E-mail address", ({ email: address }) => <span dir="auto">{address}</span>],
        ["Role", ({ role: memberRole }) => memberRole.toLowerCase()],
        ["Status", ({ status }) => status.toLowerCase()],
        ["Until", ({ status, expires_at: until }) => status === "PENDING" && <LocalTime at={until} />],
        [
          <span class="unseen">Actions</span>,
          ({ id, email: address, status }) =>
            status === "PENDING" &&
            canInvite && (
              <ConfirmButton
                label="Withdraw"
                question={`Withdraw the invitation for ${address}?`}
                onConfirm={() => void withdraw(id, address)}
              />
            ),
        ],
      ]}
    >
      {canInvite ? (
        <form class="buttons" onSubmit={handleSubmit(send)}>
          <label>
            E-mail address <input type="email" required {...bindText(email)} />
          </label>
          <label>
            As{" "}
            <Select
              value={invitedRole.value}
              options={role === "OWNER" ? ownersChoice : adminsChoice}
              onSelect={(value) => (invitedRole.value = value)}
            />
          </label>
          <button type="submit" disabled={isBusy}>
            Invite
          </button>
        </form>
      ) : (
        <p class="faint">Only admins and owners can invite.</p>
      )}
      {outcome}
    </Section>
  );
};

/** Settings section with the user's own pending invitations, to accept or decline. */
export const MyInvitations = ({ onAccept }: { readonly onAccept: () => void }) => {
  const list = useLoad((signal) => collect(client.value.each.listMyInvitations(undefined, { signal })), []);
  const { perform, outcome } = useAction();
  const accept = (invitation_id: string, name: string) =>
    perform(async () => {
      await client.value.acceptInvitation({ path: { invitation_id } });
      list.reload();
      onAccept();
      return `You are now a member of ${name}.`;
    });
  const decline = (invitation_id: string, name: string) =>
    perform(async () => {
      await client.value.declineInvitation({ path: { invitation_id } });
      list.reload();
      return `The invitation to ${name} is declined.`;
    });
  return (
    <Section
      title="Invitations to you"
      list={list}
      emptyText="No invitations."
      columns={[
        ["Organization", ({ org_name: name }) => <span dir="auto">{name}</span>],
        ["Role", ({ role }) => role.toLowerCase()],
        ["From", ({ inviter_display_name: inviter }) => <span dir="auto">{inviter}</span>],
        ["Until", ({ expires_at: until }) => <LocalTime at={until} />],
        [
          <span class="unseen">Actions</span>,
          ({ id, org_name: name }) => (
            <span class="buttons">
              <button
                type="button"
                onClick={() => void accept(id, name)}
                aria-label={`Accept the invitation to ${name}`}
              >
                Accept
              </button>
              <ConfirmButton label="Decline" question={`Decline ${name}?`} onConfirm={() => void decline(id, name)} />
            </span>
          ),
        ],
      ]}
    >
      {outcome}
    </Section>
  );
};
