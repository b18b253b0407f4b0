import { expect, test } from "vitest";
import { sealSecret, sealText, unsealText } from "../../../../lib/domain/access/sealed-text.ts";

const secret = sealSecret("project", "route", "key:1");

test("a sealed text is read with its secret, shows nothing without it and never looks the same", () => {
  const text = '{"id":"1","name":"Zoë 🌍"}';
  const [one, other] = [sealText(secret, text), sealText(secret, text)];

  expect([one, other, sealText(secret, "")].map((sealed) => unsealText(secret, sealed))).toEqual([text, text, ""]);
  expect(one).not.toBe(other);
  expect(Buffer.from(one, "base64url").includes("name")).toBe(false);
});

test("another secret reads nothing, nor does the right one where a bit has changed", () => {
  const sealed = sealText(secret, "answer");
  const changed = Buffer.from(sealed, "base64url");
  changed[14] = (changed[14] ?? 0) ^ 1;

  expect(() => unsealText(sealSecret("project", "route", "key:2"), sealed)).toThrow("unable to authenticate data");
  expect(() => unsealText(secret, changed.toString("base64url"))).toThrow("unable to authenticate data");
});
