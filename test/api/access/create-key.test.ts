import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, inject, test } from "vitest";

const { baseUrl } = inject("service");
const { url, tables } = inject("storage");

const run = promisify(execFile);
const script = resolve(import.meta.dirname, "../../../infra/create-key.ts");

const createKey = async (...args: readonly string[]): Promise<string> => {
  const { stdout } = await run(process.execPath, [script, ...args, "--table", tables["access"] ?? ""], {
    env: {
      AWS_ENDPOINT_URL_DYNAMODB: url,
      AWS_REGION: "us-east-1",
      AWS_ACCESS_KEY_ID: "operator",
      AWS_SECRET_ACCESS_KEY: "local",
    },
  });
  return stdout;
};

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

test("create-key without an organization prints its usage and creates nothing", async () => {
  await expect(createKey()).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining("--organization NAME") });
});
