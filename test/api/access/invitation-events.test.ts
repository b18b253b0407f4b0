import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import type { DeliveredEvent } from "../../../infra/local/events/event-bus.ts";
import { createInvitation } from "../../../lib/contract/access/invitations.ts";
import { acceptInvitation } from "../../../lib/contract/access/me.ts";
import { eventually, some } from "../../support/service/local-fixture.ts";
import { people } from "../../support/users.ts";

const { person, organization } = people();

/** What came over the bus about an address. */
const eventsAbout = (email: string): readonly DeliveredEvent[] => {
  const file = join(inject("issuerDirectory"), "events.jsonl");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
  return lines.map((line) => JSON.parse(line) as DeliveredEvent).filter(({ detail }) => detail["email"] === email);
};

describe("an invitation, over HTTP and the event bus,", () => {
  test("is announced by an event that says all that its reply says, and can be accepted by what it says", async () => {
    const { owner, params } = await organization("Announcing");
    const bob = await person("Bob");

    const made = await owner.answer(createInvitation, { params, body: { email: bob.email, role: "ADMIN" } });
    const events = await eventually(() => some(eventsAbout(bob.email)));

    expect(events).toEqual([
      {
        version: "0",
        id: expect.any(String),
        "detail-type": "Invitation created",
        source: "assay",
        account: "000000000000",
        region: "us-east-1",
        time: `${made.created_at.slice(0, 19)}Z`,
        resources: [],
        detail: {
          event_id: expect.any(String),
          stage: "local",
          invitation_id: made.id,
          organization_id: params.org_id,
          organization_name: "Announcing",
          email: bob.email,
          role: "ADMIN",
          invited_by: owner.userId,
          inviter_name: "Olga",
          inviter_email: owner.email,
          expires_at: made.expires_at,
        },
      },
    ]);
    const invitation_id = String(events[0]?.detail["invitation_id"]);
    expect(await bob.answer(acceptInvitation, { params: { invitation_id } })).toMatchObject({ role: "ADMIN" });
  });

  test("that is refused is not announced", async () => {
    const { owner, params } = await organization();
    const [refused, made] = [`${randomUUID()}@example.com`, `${randomUUID()}@example.com`];

    await owner.call(createInvitation, { params, body: { email: refused, role: "OWNER" } });
    await owner.answer(createInvitation, { params, body: { email: made } });
    await eventually(() => some(eventsAbout(made)));

    expect(eventsAbout(refused)).toEqual([]);
  });
});
