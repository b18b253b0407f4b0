import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, inject } from "vitest";
import { type Issuer, issuerName, startIssuer } from "../../infra/local/issuer.ts";
import { deriveUserId } from "../../lib/authorizer/bearer-token.ts";
import { acceptInvitation } from "../../lib/contract/access/me.ts";
import { createInvitation } from "../../lib/contract/access/invitations.ts";
import { updateMember } from "../../lib/contract/access/members.ts";
import { createOrganization } from "../../lib/contract/access/organizations.ts";
import type { Role } from "../../lib/domain/access/role.ts";
import { type Client, clientWith } from "./service/client.ts";

/** A client of a user who can sign in. */
export interface Person extends Client {
  readonly userId: string;
  readonly email: string;
  readonly token: string;
}

/** Creates users for the tests of a file, signed in at the global service with tokens of its issuer. */
export const people = () => {
  const service = inject("service");
  let issuer: Issuer;
  beforeAll(async () => {
    issuer = await startIssuer(inject("issuerDirectory"));
  });
  afterAll(() => issuer.close());

  const person = async (name = "Ann", email = `${randomUUID()}@example.com`): Promise<Person> => {
    const sub = randomUUID();
    const token = await issuer.issueToken({ sub, email, name, ttl: 3600 });
    const client = clientWith(service, { Authorization: `Bearer ${token}` });
    return { ...client, userId: deriveUserId(issuerName, sub), email, token };
  };

  /** Adds a new user to an owner's organization. */
  const join = async (owner: Client, org_id: string, role: Role): Promise<Person> => {
    const member = await person(role.toLowerCase());
    const invited = role === "OWNER" ? "MEMBER" : role;
    const { id } = await owner.answer(createInvitation, {
      params: { org_id },
      body: { email: member.email, role: invited },
    });
    await member.answer(acceptInvitation, { params: { invitation_id: id } });
    const params = { org_id, user_id: member.userId };
    if (role === "OWNER") await owner.answer(updateMember, { params, body: { role } });
    return member;
  };

  /** Creates an organization with a new owner. */
  const organization = async (name = "Acme") => {
    const owner = await person("Olga");
    const { id } = await owner.answer(createOrganization, { body: { name } });
    return { id, owner, params: { org_id: id }, join: (role: Role) => join(owner, id, role) };
  };

  return { person, organization };
};
