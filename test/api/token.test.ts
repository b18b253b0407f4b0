import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { repository } from "../../infra/local/repository.ts";
import { createInvitation } from "../../lib/contract/access/invitations.ts";
import { acceptInvitation, getMe, listMyInvitations } from "../../lib/contract/access/me.ts";
import { listMembers } from "../../lib/contract/access/members.ts";
import { createOrganization } from "../../lib/contract/access/organizations.ts";
import { listTraces } from "../../lib/contract/traces/traces.ts";
import { clientWith } from "../support/service/client.ts";
import { runLocalCommand } from "../support/service/local-command.ts";

const service = inject("service");
const directory = inject("issuerDirectory");

const token = (...args: readonly string[]) => runLocalCommand("token.ts", directory, ...args);

/** A client that signs in with the token that the command prints for an address. */
const person = async (email: string) => {
  const { stdout } = await token("--email", email);
  return clientWith(service, { Authorization: `Bearer ${stdout.trim()}` });
};

/** A new address, without a user yet. */
const newAddress = (): string => `mia-${randomUUID()}@example.com`;

test("npm run token runs the command that is tested here", () => {
  const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
    scripts: Readonly<Record<string, string>>;
  };

  expect(scripts["token"]).toBe("node infra/local/token.ts");
});

test("the command prints only the token, which identifies the owner of the address", async () => {
  const email = newAddress();

  const printed = await token("--email", email);
  const me = await (await person(email)).answer(getMe);

  expect(printed).toMatchObject({ status: 0, stderr: "" });
  expect(printed.stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
  expect(me).toMatchObject({ email, display_name: email.split("@")[0] });
});

test("an address is the same user in every token and in any spelling; another address is another user", async () => {
  const email = newAddress();

  const [first, sameUser, otherUser] = await Promise.all(
    [email, ` ${email.toUpperCase()}`, newAddress()].map(async (address) => (await person(address)).answer(getMe)),
  );

  expect(sameUser?.id).toBe(first?.id);
  expect(otherUser?.id).not.toBe(first?.id);
});

test("without an address the token is the developer's, who owns the first organization", async () => {
  const { stdout } = await token();
  const Authorization = `Bearer ${stdout.trim()}`;

  const developer = await clientWith(service, { Authorization }).answer(getMe);
  const headers = { Authorization, "X-Project-ID": service.tenant.projectId };
  const { status } = await clientWith(service, headers).call(listTraces);

  expect(developer.email).toBe("developer@localhost");
  expect(status).toBe(200);
});

test("an invitation to an address can be accepted with its token", async () => {
  const [owner, email] = [await person(newAddress()), newAddress()];
  const mia = await person(email);
  const { id: org_id } = await owner.answer(createOrganization, { body: { name: "Acme" } });

  await owner.answer(createInvitation, { params: { org_id }, body: { email, role: "ADMIN" } });
  const { items } = await mia.page(listMyInvitations);
  await mia.answer(acceptInvitation, { params: { invitation_id: items[0]?.id ?? "" } });
  const members = await mia.page(listMembers, { params: { org_id } });

  expect(members.items.map(({ email, role }) => ({ email, role }))).toContainEqual({ email, role: "ADMIN" });
});

test("an invalid address is refused in one sentence with an example", async () => {
  const result = await token("--email", "mia");

  expect(result).toEqual({
    status: 1,
    stdout: "",
    stderr: `"mia" is not an e-mail address. Example: npm run -s token -- --email mia@example.com\n`,
  });
});

test("without a service that has run, the error says what to do", async () => {
  const empty = mkdtempSync(join(tmpdir(), "assay-empty-"));

  const result = await runLocalCommand("token.ts", empty, "--email", "mia@example.com");
  rmSync(empty, { recursive: true });

  expect(result).toEqual({
    status: 1,
    stdout: "",
    stderr: `The data directory ${empty} has no credentials yet. Run npm start first.\n`,
  });
});
