import { expect, test } from "vitest";
import { sealSecret, sealText, unsealText } from "../../../../lib/domain/access/sealed-text.ts";

const secret = sealSecret("project", "route", "key:1");

test("an encrypted text is readable with its secret, reveals nothing without it and differs each time", () => {
  const text = '{"id":"1","name":"Zoë 🌍"}';
  const [first, second] = [sealText(secret, text), sealText(secret, text)];

  expect([first, second, sealText(secret, "")].map((sealed) => unsealText(secret, sealed))).toEqual([text, text, ""]);
  expect(first).not.toBe(second);
  expect(Buffer.from(first, "base64url").includes("name")).toBe(false);
});

test("another secret decrypts nothing, nor does the right secret when a bit has changed", () => {
  const sealed = sealText(secret, "answer");
  const changed = Buffer.from(sealed, "base64url");
  changed[14] = (changed[14] ?? 0) ^ 1;

  expect(() => unsealText(sealSecret("project", "route", "key:2"), sealed)).toThrow("unable to authenticate data");
  expect(() => unsealText(secret, changed.toString("base64url"))).toThrow("unable to authenticate data");
});
