import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createInvitation } from "../../../lib/contract/access/invitations.ts";
import { acceptInvitation } from "../../../lib/contract/access/me.ts";
import { eventsWith } from "../../support/service/local-events.ts";
import { eventually, atLeast } from "../../support/service/local-fixture.ts";
import { people } from "../../support/users.ts";

const { person, organization } = people();

/** Events about an address that the event bus delivered. */
const eventsAbout = (email: string) => eventsWith("email", email);

describe("an invitation, over HTTP and the event bus,", () => {
  test("publishes an event with all fields of its reply, which are enough to accept it", async () => {
    const { owner, params } = await organization("Announcing");
    const bob = await person("Bob");

    const invitation = await owner.answer(createInvitation, { params, body: { email: bob.email, role: "ADMIN" } });
    const events = await eventually(() => atLeast(eventsAbout(bob.email)));

    expect(events).toEqual([
      {
        version: "0",
        id: expect.any(String),
        "detail-type": "invitation.created",
        source: "assay",
        account: "000000000000",
        region: "us-east-1",
        time: `${invitation.created_at.slice(0, 19)}Z`,
        resources: [],
        detail: {
          id: expect.any(String),
          version: 1,
          event_id: events[0]?.detail["id"],
          stage: "local",
          project_id: null,
          time: invitation.created_at,
          url: expect.stringMatching(/^https?:.*\/console#\/settings$/u),
          invitation_id: invitation.id,
          organization_id: params.org_id,
          organization_name: "Announcing",
          email: bob.email,
          role: "ADMIN",
          invited_by: owner.userId,
          inviter_name: "Olga",
          inviter_email: owner.email,
          expires_at: invitation.expires_at,
        },
      },
    ]);
    const invitation_id = String(events[0]?.detail["invitation_id"]);
    expect(await bob.answer(acceptInvitation, { params: { invitation_id } })).toMatchObject({ role: "ADMIN" });
  });

  test("publishes no event when it is refused", async () => {
    const { owner, params } = await organization();
    const [refusedEmail, invitedEmail] = [`${randomUUID()}@example.com`, `${randomUUID()}@example.com`];

    await owner.call(createInvitation, { params, body: { email: refusedEmail, role: "OWNER" } });
    await owner.answer(createInvitation, { params, body: { email: invitedEmail } });
    await eventually(() => atLeast(eventsAbout(invitedEmail)));

    expect(eventsAbout(refusedEmail)).toEqual([]);
  });
});
