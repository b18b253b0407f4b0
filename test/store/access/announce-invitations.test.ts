import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Invitation, invitationLifetime } from "../../../lib/domain/access/invitation.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import type { EventBus } from "../../../lib/events/event-bus.ts";
import type { ServiceEvent } from "../../../lib/events/service-event.ts";
import { announceInvitations } from "../../../lib/invitations/announce.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { deletionRequests } from "../../../lib/store/deletion/requests.ts";
import { invitationStore } from "../../../lib/store/access/invitations.ts";
import { organizationStore } from "../../../lib/store/access/organizations.ts";
import { accessScan } from "../../../lib/store/access/scan.ts";
import { unannouncedInvitations } from "../../../lib/store/access/unannounced-invitations.ts";
import { userStore } from "../../../lib/store/access/users.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { publishedLines } from "../../support/published-lines.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const start = Date.parse("2026-10-01T10:00:00Z");

const organizationWithInviter = async () => {
  const [owner, organizationId] = [randomUUID(), randomUUID()];
  await userStore(database).signIn({ userId: owner, email: "olga@example.com", displayName: "Olga" });
  await organizationStore(database).create(organizationId, "Acme", owner, 10);
  const invite = async (email: string): Promise<Invitation> => {
    const invitation: Invitation = {
      id: randomUUID(),
      organizationId,
      email,
      role: "MEMBER",
      status: "PENDING",
      invitedBy: owner,
      createdAt: instantAt(start),
      expiresAt: start + invitationLifetime,
    };
    await invitationStore(database, () => start).create(invitation);
    return invitation;
  };
  return { owner, organizationId, invite };
};

const idsOf = (invitations: readonly Invitation[]): string[] => invitations.map(({ id }) => id);

/** An event bus that records the events it accepts. @param answer the error code of an event that it rejects; null accepts it. */
const fakeBus = (answer: (event: ServiceEvent) => string | null = () => null) => {
  const acceptedEvents: ServiceEvent[] = [];
  const put: EventBus["put"] = async (events) => {
    const codes = events.map(answer);
    acceptedEvents.push(...events.filter((_, position) => codes[position] === null));
    return codes;
  };
  return { acceptedEvents, put };
};

const announcer = (bus: EventBus, connection: Database = database, now = start) =>
  announceInvitations({
    source: { stage: "blue", serviceUrl: "https://assay.example.com" },
    invitations: invitationStore(connection, () => now),
    organizations: organizationStore(connection),
    users: userStore(connection),
    unannounced: unannouncedInvitations(connection, () => now),
    bus,
    now: () => now,
  });

/** Runs the check of the reconciliation over the whole table. @returns the repair functions of this test's invitations. */
const findUnannounced = async (bus: EventBus) => {
  const { items } = await accessScan(database, 1_000)(null);
  return await announcer(bus).findUnannounced(items);
};

const emails = (events: readonly ServiceEvent[]) => events.map(({ detail }) => detail["email"]);
describe("a new invitation", () => {
  test("is announced with everything that the e-mail needs", async () => {
    const { owner, organizationId, invite } = await organizationWithInviter();
    const invitation = await invite("bob@example.com");
    const bus = fakeBus();

    await announcer(bus).announce(idsOf([invitation]));

    expect(await findUnannounced(bus)).toEqual([]);
    expect(bus.acceptedEvents).toEqual([
      {
        detailType: "invitation.created",
        time: "2026-10-01T10:00:00+00:00",
        detail: {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/u),
          version: 1,
          event_id: bus.acceptedEvents[0]?.detail["id"],
          stage: "blue",
          project_id: null,
          time: "2026-10-01T10:00:00.000000+00:00",
          url: "https://assay.example.com/console#/settings",
          invitation_id: invitation.id,
          organization_id: organizationId,
          organization_name: "Acme",
          email: "bob@example.com",
          role: "MEMBER",
          invited_by: owner,
          inviter_name: "Olga",
          inviter_email: "olga@example.com",
          expires_at: "2026-10-08T10:00:00.000000+00:00",
        },
      },
    ]);
  });

  test("keeps its event id when its record is delivered again", async () => {
    const { invite } = await organizationWithInviter();
    const ids = idsOf([await invite("bob@example.com"), await invite("eve@example.com")]);
    const bus = fakeBus();

    await announcer(bus).announce(ids);
    await announcer(bus).announce(ids);

    expect(bus.acceptedEvents.slice(2)).toEqual(bus.acceptedEvents.slice(0, 2));
    expect(new Set(bus.acceptedEvents.map(({ detail }) => detail["event_id"])).size).toBe(2);
  });

  test("is announced with many others, in calls of at most ten", async () => {
    const { invite } = await organizationWithInviter();
    const invitations = await Promise.all(Array.from({ length: 23 }, () => invite(`${randomUUID()}@example.com`)));
    const bus = fakeBus();
    const callSizes: number[] = [];
    const put: EventBus["put"] = (events) => {
      callSizes.push(events.length);
      return bus.put(events);
    };

    await announcer({ put }).announce(idsOf(invitations));

    expect(callSizes.toSorted((a, b) => b - a)).toEqual([10, 10, 3]);
    expect(emails(bus.acceptedEvents).toSorted()).toEqual(invitations.map(({ email }) => email).toSorted());
  });

  test("is not announced if it was revoked, accepted or declined in the meantime", async () => {
    const { owner, invite } = await organizationWithInviter();
    const store = invitationStore(database, () => start);
    const [revoked, accepted, declined, open] = [
      await invite("revoked@example.com"),
      await invite("accepted@example.com"),
      await invite("declined@example.com"),
      await invite("open@example.com"),
    ];
    await store.end(revoked, "REVOKED", owner);
    const guest = randomUUID();
    await userStore(database).signIn({ userId: guest, email: accepted.email, displayName: null });
    await store.accept(accepted, guest);
    await store.end(declined, "DECLINED", randomUUID());
    const bus = fakeBus();

    await announcer(bus).announce(idsOf([revoked, accepted, declined, open]));

    expect(emails(bus.acceptedEvents)).toEqual(["open@example.com"]);
  });

  test("is not announced if it expired or its organization was deleted in the meantime", async () => {
    const { owner, organizationId, invite } = await organizationWithInviter();
    const invitation = await invite("bob@example.com");
    const bus = fakeBus();

    await announcer(bus, database, start + invitationLifetime).announce(idsOf([invitation]));
    await deletionRequests(database).ofOrganization(
      { id: organizationId, name: "Acme", createdAt: instantAt(start) },
      owner,
    );
    await announcer(bus).announce(idsOf([invitation]));

    expect(bus.acceptedEvents).toEqual([]);
  });
});

describe("an invitation that the event bus rejects", () => {
  test("is announced once by the reconciliation, the accepted ones are not again", async () => {
    const { invite } = await organizationWithInviter();
    const invitations = [
      await invite("one@example.com"),
      await invite("two@example.com"),
      await invite("three@example.com"),
    ];
    let isAway = true;
    const bus = fakeBus(({ detail }) =>
      isAway && detail["email"] === "two@example.com" ? "ThrottlingException" : null,
    );

    const { lines, result } = await publishedLines(() => announcer(bus).announce(idsOf(invitations)));
    await result;
    expect(lines).toMatchObject([
      { event: "invitations_not_announced", FailedItems: 1, codes: ["ThrottlingException"] },
    ]);
    expect(emails(bus.acceptedEvents)).toEqual(["one@example.com", "three@example.com"]);
    const [repair, ...others] = await findUnannounced(bus);
    await expect(repair?.()).rejects.toThrow("could not be announced");
    isAway = false;
    await repair?.();

    expect(others).toEqual([]);
    expect(emails(bus.acceptedEvents)).toEqual(["one@example.com", "three@example.com", "two@example.com"]);
    expect(await findUnannounced(bus)).toEqual([]);
  });

  test("is marked when the bus is unavailable, and its batch repeated when the database is, without an address in the log", async () => {
    const { invite } = await organizationWithInviter();
    const ids = idsOf([await invite("one@example.com"), await invite("two@example.com")]);
    const bus: EventBus = { put: () => Promise.reject(new Error("one@example.com is no valid value")) };
    const faultyDb = faultyDatabase(database, () => "server-error");

    const away = await publishedLines(() => announcer(bus).announce(ids));
    await away.result;
    const broken = await publishedLines(() => announcer(fakeBus(), faultyDb).announce(ids));
    await expect(broken.result).rejects.toBeInstanceOf(Error);

    expect(await findUnannounced(fakeBus())).toHaveLength(2);
    for (const { lines } of [away, broken]) {
      expect(lines).toMatchObject([{ event: "invitations_not_announced", FailedItems: 2 }]);
      expect(JSON.stringify(lines)).not.toContain("@example.com");
    }
  });
});
