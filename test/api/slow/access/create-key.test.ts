import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, inject, test } from "vitest";
import { getMe } from "../../../../lib/contract/access/me.ts";
import { getOrganization } from "../../../../lib/contract/access/organizations.ts";
import { eventually } from "../../../support/service/local-fixture.ts";
import { people } from "../../../support/users.ts";
import { compileCache } from "../../../support/vitest/compile-cache.ts";

const { baseUrl } = inject("service");
const { url, tables } = inject("storage");
/** Environment of programs that work on the service of these tests, as on that of `npm start`. */
const local = { ASSAY_LOCAL_DIR: inject("issuerDirectory") };

const { person } = people();
const run = promisify(execFile);
const infra = resolve(import.meta.dirname, "../../../../infra");

/** Runs a program of the operator. @returns what it prints. */
const runProgram = async (program: string, args: readonly string[], env: Readonly<Record<string, string>>) => {
  const variables = { AWS_REGION: "us-east-1", ...compileCache, ...env };
  return (await run(process.execPath, [join(infra, program), ...args], { env: variables })).stdout;
};

const createKey = (...args: readonly string[]): Promise<string> =>
  runProgram("create-key.ts", [...args, "--table", tables["access"] ?? ""], {
    AWS_ENDPOINT_URL_DYNAMODB: url,
    AWS_ACCESS_KEY_ID: "operator",
    AWS_SECRET_ACCESS_KEY: "local",
  });

const listWith = (key: string): Promise<Response> =>
  fetch(`${baseUrl}/traces`, { headers: { "X-API-Key": key, "X-Project-Name": "first" } });

test("create-key prints a key that works, for a new organization and for an existing one", async () => {
  const first = await createKey("--organization", "Example Ltd");
  const organization = /organization +(\S+)/.exec(first)?.[1] ?? "";
  const second = await createKey("--organization-id", organization, "--name", "second key");
  const keys = [first, second].map((printed) => /sk_as_[0-9a-f]{64}/.exec(printed)?.[0] ?? "");

  const replies = await Promise.all(keys.map(listWith));

  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  expect(new Set(keys).size).toBe(2);
});

test("create-key makes a restricted key on the running local service, and operate revokes it there", async () => {
  const restrictions = ["--project", "first", "--access", "read", "--expires-days", "2"];
  const printed = await runProgram("create-key.ts", ["--local", "--organization", "Local Ltd", ...restrictions], local);
  const key = /sk_as_s_[0-9a-f]{64}/.exec(printed)?.[0] ?? "";
  const organization = /organization +(\S+)/.exec(printed)?.[1] ?? "";
  const ingest = await fetch(`${baseUrl}/traces`, {
    method: "POST",
    headers: { "X-API-Key": key, "X-Project-Name": "first", "Content-Type": "application/json" },
    body: JSON.stringify({ name: "a", started_at: new Date().toISOString() }),
  });
  const before = await listWith(key);

  const list = await runProgram("operate/run.ts", ["keys", "list", "--local", "--organization", organization], local);
  const [, id = ""] = /^ {2}(\S+)/mu.exec(list) ?? [];
  await runProgram("operate/run.ts", ["keys", "revoke", id, "--local", "--organization", organization, "--yes"], local);

  expect([ingest.status, before.status]).toEqual([403, 200]);
  const end = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
  expect(list).toMatch(new RegExp(`first key: read of project [-0-9a-f]{36}, active, made .*, ends ${end}, `, "u"));
  expect(await eventually(async () => ((await listWith(key)).status === 401 ? true : undefined))).toBe(true);
});

test("create-key makes a user who has signed in an owner, and refuses others before it makes anything", async () => {
  const owner = await person("operator's choice");
  await owner.answer(getMe);

  const printed = await createKey("--organization", "Owned Ltd", "--owner", owner.email.toUpperCase());
  const [, organization = ""] = /organization +(\S+)/.exec(printed) ?? [];

  expect(await owner.answer(getOrganization, { params: { org_id: organization } })).toMatchObject({ role: "OWNER" });
  await expect(createKey("--organization", "X", "--owner", "nobody@example.com")).rejects.toMatchObject({
    code: 1,
    stderr: "Nobody has signed in with the address nobody@example.com.\n",
  });
  await expect(createKey("--organization", "X", "--acess", "read")).rejects.toMatchObject({
    stderr: "There is no flag --acess; did you mean --access?\n",
  });
});

test("create-key without an organization prints its usage and creates nothing", async () => {
  await expect(createKey()).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining("--organization NAME") });
});
