import { createHash } from "node:crypto";
import type { Send } from "./caller.ts";
import { emailOf } from "./people.ts";

/** Creates a caller for a user who signs in. */
export type SignIn = (name: string) => Send;

const invite = async (owner: Send, organization: string, name: string, role = "MEMBER"): Promise<string> => {
  const { id } = await owner("POST", `/organizations/${organization}/invitations`, { email: emailOf(name), role });
  return id;
};

/** Writes members, invitations in every state, a second organization, and a deleted one. */
export const writePeople = async (owner: Send, organization: string, signIn: SignIn): Promise<void> => {
  const join = async (name: string, role?: string): Promise<Send> => {
    const id = await invite(owner, organization, name, role);
    const person = signIn(name);
    await person("POST", `/me/invitations/${id}/accept`);
    return person;
  };
  await join("mia", "ADMIN");
  await join("max");
  const rob = await join("rob");
  const { items: members } = await owner("GET", `/organizations/${organization}/members?limit=200`);
  const idOf = (name: string): string =>
    members.find(({ email }: { readonly email: string }) => email === emailOf(name))?.user_id;
  await owner("DELETE", `/organizations/${organization}/members/${idOf("rob")}`);
  await owner("PATCH", `/organizations/${organization}/members/${idOf("max")}`, { role: "ADMIN" });
  await rob("GET", "/me");

  const declined = await invite(owner, organization, "ned");
  const ned = signIn("ned");
  await ned("POST", `/me/invitations/${declined}/decline`);
  const revoked = await invite(owner, organization, "pat");
  await owner("DELETE", `/organizations/${organization}/invitations/${revoked}`);

  const secondOrganization = await ned("POST", "/organizations", { name: "Ned's" });
  await ned("PATCH", `/organizations/${secondOrganization.id}`, { name: "Ned's own" });
  const organizationToDelete = await rob("POST", "/organizations", { name: "Rob's" });
  await rob("DELETE", `/organizations/${organizationToDelete.id}`);
};

/** Writes a pending invitation. */
export const writePendingInvitation = (owner: Send, organization: string, name: string): Promise<string> =>
  invite(owner, organization, name);

/** Creates an API key that expires after 90 days. */
export const writeExpiringKey = async (owner: Send, organization: string, name: string): Promise<void> => {
  const path = `/organizations/${organization}/api-keys`;
  const key = await owner("POST", path, { name, expiration: "90d" });
  await owner("POST", `${path}/${key.id}/rotate`);
};

/** Creates API keys that are in use, revoked and deleted. */
export const writeKeys = async (owner: Send, organization: string): Promise<void> => {
  const path = `/organizations/${organization}/api-keys`;
  const create = (name: string) => owner("POST", path, { name });
  await create("in use");
  const revoked = await create("revoked");
  await owner("DELETE", `${path}/${revoked.id}`);
  const removed = await create("removed");
  await owner("DELETE", `${path}/${removed.id}?permanent=true`);
};

/** PKCE verifier for exchanging authorization codes. */
const codeVerifier = "verifier-of-the-previous-version-0123456789";

/** Creates authorization codes of a command line sign-in: one exchanged, one pending. */
export const writeCodes = async (owner: Send, anybody: Send, org_id: string, project_id: string): Promise<void> => {
  const create = async (verifier: string): Promise<string> => {
    const code_challenge = createHash("sha256").update(verifier).digest("base64url");
    const { code } = await owner("POST", "/cli/auth/codes", { org_id, project_id, code_challenge, label: "laptop" });
    return code;
  };
  await anybody("POST", "/cli/auth/exchange", { code: await create(codeVerifier), code_verifier: codeVerifier });
  await create(codeVerifier);
};

/** Creates projects, one of which is renamed. */
export const writeProjects = async (owner: Send, organization: string): Promise<void> => {
  const path = `/organizations/${organization}/projects`;
  const renamed = await owner("POST", path, { name: "before", description: "The agent behind the till" });
  await owner("PATCH", `${path}/${renamed.id}`, { name: "renamed", description: "Größer" });
};

/** Deletes a project by name. */
export const deleteProject = async (owner: Send, organization: string, name: string): Promise<void> => {
  const { items } = await owner("GET", `/organizations/${organization}/projects?limit=200`);
  const { id } = items.find((project: { readonly name: string }) => project.name === name);
  await owner("DELETE", `/organizations/${organization}/projects/${id}`);
};
