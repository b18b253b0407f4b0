import { createHash, randomBytes, randomUUID } from "node:crypto";
import { describe, expect, inject, test } from "vitest";
import { listApiKeys } from "../../../lib/contract/access/api-keys.ts";
import { createCliCode, exchangeCliCode } from "../../../lib/contract/access/cli.ts";
import { removeMember } from "../../../lib/contract/access/members.ts";
import { createProject } from "../../../lib/contract/access/projects.ts";
import { listTraces } from "../../../lib/contract/traces/traces.ts";
import { cliCodeStore } from "../../../lib/store/access/cli-codes.ts";
import { hashOfCode } from "../../../lib/domain/access/cli-code.ts";
import { type Client, clientWith } from "../../support/service/client.ts";
import { expectStatus, problems } from "../../support/reply-shape.ts";
import { databaseAt } from "../../support/service/service-database.ts";
import { people } from "../../support/users.ts";

const service = inject("service");
const { organization } = people();

/** The published command line, which sends the headers of its other calls too, but empty. */
const commandLine = clientWith(service, { "X-API-Key": "", "X-Project-Name": "" });

const challengeOf = (verifier: string): string => createHash("sha256").update(verifier).digest("base64url");

const newVerifier = (): string => randomBytes(32).toString("base64url");

const signInWorld = async () => {
  const org = await organization();
  const project = await org.owner.answer(createProject, { params: org.params, body: { name: "checkout" } });
  const body = (fields: object = {}) => ({ org_id: org.id, project_id: project.id, label: "laptop", ...fields });
  const codeFor = (verifier: string, client: Client = org.owner, fields: object = {}) =>
    client.answer(createCliCode, { body: body({ code_challenge: challengeOf(verifier), ...fields }) });
  return { ...org, project, body, codeFor };
};

const exchange = (code: string, code_verifier: string) =>
  commandLine.call(exchangeCliCode, { body: { code, code_verifier } });

const unusable = { status: 401, body: { detail: "Authorization code is invalid, expired, or already used." } };

describe("signing in from the command line", () => {
  test("issues a key that is valid for 90 days and works in the project", async () => {
    const { owner, id, params, codeFor } = await signInWorld();
    const verifier = newVerifier();

    const { code, expires_in } = await codeFor(verifier);
    const reply = await exchange(code, verifier);

    expectStatus(reply, 200);
    const { api_key, expires_at, key_id, ...otherFields } = reply.body;
    expect(expires_in).toBe(120);
    expect(otherFields).toEqual({ project_name: "checkout", org_id: id, key_prefix: api_key.slice(0, 10) });
    const { items } = await owner.page(listApiKeys, { params });
    expect(items).toMatchObject([{ id: key_id, is_active: true, expires_at }]);
    expect(items[0]?.name).toMatch(/^assay-cli — laptop — \d{4}-\d\d-\d\d$/);
    expect(Math.round((Date.parse(expires_at) - Date.now()) / 86_400_000)).toBe(90);
    const client = clientWith(service, { "X-API-Key": api_key, "X-Project-Name": "checkout" });
    expectStatus(await client.call(listTraces), 200);
  });

  test("works once for each code, even when it is sent many times at once", async () => {
    const { owner, params, codeFor } = await signInWorld();
    const verifier = newVerifier();
    const { code } = await codeFor(verifier);

    const replies = await Promise.all(Array.from({ length: 4 }, () => exchange(code, verifier)));

    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401]);
    expect(await exchange(code, verifier)).toMatchObject(unusable);
    expect((await owner.page(listApiKeys, { params })).total).toBe(1);
  });

  test("with a wrong verifier is refused and does not use up the code", async () => {
    const { codeFor } = await signInWorld();
    const verifier = newVerifier();
    const { code } = await codeFor(verifier);

    expect(await exchange(code, newVerifier())).toMatchObject({
      status: 401,
      body: { detail: "PKCE verification failed." },
    });
    expectStatus(await exchange(code, verifier), 200);
  });

  test("requires an S256 challenge, and a verifier of the length that RFC 7636 demands", async () => {
    const { owner, body } = await signInWorld();
    const verifier = newVerifier();
    const challenge = challengeOf(verifier);

    for (const unfit of [`${challenge}=`, challenge.slice(1), `${challenge.slice(1)}+`, verifier.repeat(2), " "]) {
      expect(problems(await owner.call(createCliCode, { body: body({ code_challenge: unfit }) }))).toContain(
        "body.code_challenge",
      );
    }
    const plain = body({ code_challenge: challenge, code_challenge_method: "plain" });
    expect(problems(await owner.call(createCliCode, { body: plain }))).toEqual(["body.code_challenge_method"]);
    for (const unfit of ["v".repeat(42), "v".repeat(129), `${"v".repeat(43)}/`]) {
      expect(problems(await exchange(newVerifier(), unfit))).toContain("body.code_verifier");
    }
    expect(await exchange(newVerifier(), verifier)).toMatchObject(unusable);
  });

  test("returns the code and the key with headers that forbid caching", async () => {
    const { owner, body } = await signInWorld();
    const verifier = newVerifier();

    const codeReply = await owner.call(createCliCode, { body: body({ code_challenge: challengeOf(verifier) }) });
    const exchanged = await exchange(String(Object(codeReply.body).code), verifier);

    for (const { headers } of [codeReply, exchanged]) {
      expect(headers["cache-control"]).toBe("no-store");
      expect(headers["x-content-type-options"]).toBe("nosniff");
    }
  });

  test("fails with an expired code", async () => {
    const { owner, id, project } = await signInWorld();
    const [code, verifier] = [newVerifier(), newVerifier()];
    await cliCodeStore(databaseAt(inject("storage"))).create(hashOfCode(code), {
      userId: owner.userId,
      organizationId: id,
      projectId: project.id,
      challenge: challengeOf(verifier),
      label: null,
      isForProject: false,
      expiresAt: Date.now() - 1,
    });

    expect(await exchange(code, verifier)).toMatchObject(unusable);
  });

  test("creates no key for a member who has left in the meantime, and uses up the code", async () => {
    const { owner, params, join, codeFor } = await signInWorld();
    const member = await join("MEMBER");
    const verifier = newVerifier();
    const { code } = await codeFor(verifier, member);
    expectStatus(await owner.call(removeMember, { params: { ...params, user_id: member.userId } }), 204);

    expect(await exchange(code, verifier)).toMatchObject({
      status: 403,
      body: { detail: "You are not a member of this organization." },
    });
    expect(await exchange(code, verifier)).toMatchObject(unusable);
    expect((await owner.page(listApiKeys, { params })).total).toBe(0);
  });

  test("names the key after the label, or by default without one", async () => {
    const { owner, params, codeFor } = await signInWorld();
    for (const label of ["   ", "x".repeat(255), undefined]) {
      const verifier = newVerifier();
      const { code } = await codeFor(verifier, owner, { label });
      expectStatus(await exchange(code, verifier), 200);
    }

    const { items } = await owner.page(listApiKeys, { params });

    expect(items.map(({ name }) => [name.length, name.slice(0, 16)])).toEqual([
      [28, "assay-cli — cli "],
      [255, "assay-cli — xxxx"],
      [28, "assay-cli — cli "],
    ]);
  });

  test("refuses options that are not supported", async () => {
    const { owner, id, body } = await signInWorld();
    const challenge = challengeOf(newVerifier());
    const ask = (fields: object) => owner.call(createCliCode, { body: body({ code_challenge: challenge, ...fields }) });

    const wrong = await ask({ code_challenge_method: "plain", expires_days: 30 });

    expect(problems(wrong)).toEqual(["body.code_challenge_method", "body.expires_days"]);
    expectStatus(await ask({ org_id: randomUUID() }), 403);
    expectStatus(await ask({ project_id: id }), 404);
  });
});
