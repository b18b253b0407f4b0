import { readFileSync } from "node:fs";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { bearerVerifier, deriveUserId } from "../../../lib/authorizer/bearer-token.ts";
import type { JwtSettings } from "../../../lib/authorizer/jwt-settings.ts";
import { newSigningKey, publicJwk, seconds, tokenOf } from "../../support/service/tokens.ts";
import { type ProviderForm, providerForms } from "./provider-forms.ts";

const keys = { RS256: newSigningKey("RS256"), ES256: newSigningKey("ES256") };
const keySetOf = () => ({
  find: async (kid: string) => {
    const key = Object.values(keys).find((candidate) => candidate.kid === kid);
    return key === undefined ? ("unknown" as const) : (publicJwk(key) as never);
  },
});

const lines: Record<string, unknown>[] = [];
const log = vi.spyOn(console, "log").mockImplementation((line: unknown) => void lines.push(JSON.parse(String(line))));
beforeEach(() => void lines.splice(0));
afterAll(() => log.mockRestore());

let clock = Date.now();
const verifier = (...issuers: readonly JwtSettings[]) => bearerVerifier(issuers, () => clock, keySetOf);

const signed = (
  { alg, header, claims, settings }: ProviderForm,
  changed: object = {},
  changedHeader: object = {},
): string =>
  tokenOf(
    { alg, kid: keys[alg].kid, ...header, ...changedHeader },
    { iss: settings.issuer, iat: seconds() - 10, exp: seconds() + 600, ...claims, ...changed },
    keys[alg],
  );

const formOf = (name: string): ProviderForm => {
  const providerForm = providerForms.find((form) => form.name === name);
  if (providerForm === undefined) throw new Error(`There is no form ${name}.`);
  return providerForm;
};

describe.each(providerForms)("$name", (form) => {
  const { settings, subject, email } = form;

  test("a token of its form is accepted with its settings, for the user id that the provider never changes", async () => {
    expect(await verifier(settings)(signed(form))).toMatchObject({
      kind: "user",
      userId: deriveUserId(settings.issuer, subject),
      email,
    });
    expect(lines).toEqual([]);
  });

  test("the settings page shows exactly these settings", () => {
    const page = readFileSync(new URL("../../../infra/sign-in.md", import.meta.url), "utf8");

    expect(page).toContain(`**${form.name}**`);
    expect(page).toContain(JSON.stringify(settings, null, 2).replaceAll(/^/gmu, "    "));
  });

  test("a token for another audience is refused, and the log names that audience", async () => {
    const claim = settings.audienceClaim ?? "aud";

    expect(await verifier(settings)(signed(form, { [claim]: "another" }))).toEqual({
      kind: "refused",
      detail: "Invalid token.",
    });
    expect(lines).toEqual([
      {
        event: "token_refused",
        check: "audience",
        issuer: settings.issuer,
        audience: "another",
        alg: form.alg,
        kid: keys[form.alg].kid,
      },
    ]);
  });
});

/** Frequent mistakes of a first set-up. */
test.each<[string, string, Partial<JwtSettings>, object, string]>([
  ["Auth0", "without its final slash", { issuer: "https://example.eu.auth0.com" }, {}, "issuer"],
  ["Entra ID", "with tokens of version 1", {}, { iss: "https://sts.windows.net/aaaabbbb/" }, "issuer"],
  ["Keycloak", "by `aud`, which is `account`", { audienceClaim: "aud" }, {}, "audience"],
  ["Cognito, access tokens", "by `aud`, which they have not", { audienceClaim: "aud" }, {}, "audience"],
  ["Cognito, ID tokens", "for access tokens", { tokenUse: "access" }, {}, "token_use"],
  ["Okta", "with a claim that is not there", { subjectClaim: "user_id" }, {}, "subject"],
])("%s, set up %s, is refused with the failed check in the log", async (name, _mistake, settings, claims, check) => {
  const form = formOf(name);

  expect(await verifier({ ...form.settings, ...settings })(signed(form, claims))).toMatchObject({ kind: "refused" });
  expect(lines).toEqual([expect.objectContaining({ event: "token_refused", check })]);
});

test.each<[string, object, object, string]>([
  ["another key", {}, { kid: "unheard of" }, "key"],
  ["a shared secret", {}, { alg: "HS256" }, "algorithm"],
  ["no key's id", {}, { kid: undefined }, "key id"],
  ["a logout token's type", {}, { typ: "logout+jwt" }, "type"],
  ["a key of its own", {}, { jwk: {} }, "header"],
  ["no end", { exp: undefined }, {}, "times"],
  ["its end", { exp: 1 }, {}, "expired"],
  ["a beginning to come", { nbf: 4_000_000_000 }, {}, "not yet valid"],
  ["a year of life", { exp: Math.floor(Date.now() / 1000) + 31_536_000 }, {}, "lifetime"],
  ["an issue to come", { iat: Math.floor(Date.now() / 1000) + 300 }, {}, "issued in the future"],
])("a token with %s is refused with its failed check in the log", async (_, claims, header, check) => {
  const form = formOf("Firebase");

  expect(await verifier(form.settings)(signed(form, claims, header))).toMatchObject({ kind: "refused" });
  expect(lines.map((line) => line["check"])).toEqual([check]);
});

test("a token with a foreign signature and a value that is no token are logged as such", async () => {
  const form = formOf("Firebase");
  const verify = verifier(form.settings);
  const forged = `${signed(form).split(".").slice(0, 2).join(".")}.${signed(form, { sub: "other" }).split(".")[2]}`;

  await verify(forged);
  await verify("eyJhbGciOiJSUzI1NiJ9");
  expect(lines.map((line) => line["check"])).toEqual(["signature", "form"]);
});

test("each failed check is logged once a minute, however many tokens fail it", async () => {
  const form = formOf("Firebase");
  const verify = verifier(form.settings);
  const [wrong, expiredToken] = [signed(form, { aud: "another" }), signed(form, { exp: 1 })];

  for (const token of [wrong, wrong, expiredToken, wrong, expiredToken]) await verify(token);
  expect(lines.map((line) => line["check"])).toEqual(["audience", "expired"]);
  clock += 60_000;
  await verify(wrong);
  clock = Date.now();
  expect(lines.map((line) => line["check"])).toEqual(["audience", "expired", "audience"]);
});

test("the log line holds no token, subject or email address, and a few hundred characters of the request at most", async () => {
  const form = formOf("Firebase");
  const token = signed(
    form,
    { aud: Array.from({ length: 1000 }, () => "x".repeat(3)), iss: form.settings.issuer },
    { kid: "k".repeat(1000) },
  );

  await verifier(form.settings)(token);
  const [line] = lines;
  const text = JSON.stringify(line);

  expect(text).not.toContain(form.subject);
  expect(text).not.toContain("mia@example.com");
  for (const part of token.split(".")) expect(text).not.toContain(part.slice(0, 40));
  expect(text.length).toBeLessThan(600);
});

test("several issuers each bring their own users, which never coincide, and a token of another issuer is refused", async () => {
  const [first, second, third] = [formOf("Firebase"), formOf("Keycloak"), formOf("Okta")];
  const verify = verifier(first.settings, second.settings);
  const subject = { sub: "same" };

  const users = [await verify(signed(first, subject)), await verify(signed(second, subject))];
  expect(users).toEqual([
    expect.objectContaining({ kind: "user", userId: deriveUserId(first.settings.issuer, "same") }),
    expect.objectContaining({ kind: "user", userId: deriveUserId(second.settings.issuer, "same") }),
  ]);
  expect(await verify(signed(third))).toMatchObject({ kind: "refused" });
  // A token signed by one issuer is refused with the name of the other.
  expect(await verify(signed(first, { iss: second.settings.issuer }))).toMatchObject({ kind: "refused" });
});
