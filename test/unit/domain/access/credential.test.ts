import { describe, expect, test } from "vitest";
import { credentialIn } from "../../../../lib/domain/access/credential.ts";
import { newApiKey } from "../../../../lib/domain/access/identity.ts";

const basic = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;
const key = newApiKey();

describe("an Authorization header", () => {
  test("holds a key as a bearer, and any other bearer value is a token", () => {
    expect(credentialIn(`Bearer ${key}`)).toEqual({ kind: "key", key, project: null });
    expect(credentialIn("bearer sk_as_broken")).toEqual({ kind: "key", key: "sk_as_broken", project: null });
    expect(credentialIn("BEARER a.b.c")).toEqual({ kind: "token", token: "a.b.c" });
  });

  test("holds a key as the password of Basic, and a project name beside it", () => {
    expect(credentialIn(basic(`shop:${key}`))).toEqual({ kind: "key", key, project: "shop" });
    expect(credentialIn(basic(`:${key}`))).toEqual({ kind: "key", key, project: null });
    expect(credentialIn(basic(`café au lait:${key}`))).toEqual({ kind: "key", key, project: "café au lait" });
    expect(credentialIn(basic("mia:se:cret").replace("Basic", "bAsIc"))).toEqual({
      kind: "key",
      key: "se:cret",
      project: "mia",
    });
  });

  test.each([
    "",
    "Bearer",
    "Bearer ",
    `Bearer  ${key}`,
    `Bearer\t${key}`,
    `Token ${key}`,
    key,
    basic(key),
    "Basic ====",
    `Basic ${Buffer.from([0xff, 0x3a, 0x41]).toString("base64")}`,
  ])("holds nothing in %j", (value) => {
    expect(credentialIn(value)).toBeNull();
  });
});
