import fc from "fast-check";
import { expect, test } from "vitest";
import { clientOf, gatewayKeyName, gatewayKeyValue } from "../../../lib/gateway-keys/client.ts";

const uuid = "6f0f3a52-52a5-4f0b-8b8f-1f6f2f3b9c11";

test("an API key is a client, and a user is one in all organizations", () => {
  expect(clientOf({ kind: "key", keyId: "k", organizationId: "o" })).toBe("key#k");
  expect(clientOf({ kind: "user", userId: "u" })).toBe("user#u");
});

test("a value has the form that API Gateway accepts: 20 to 128 letters and digits", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (stage, client) => {
      expect(gatewayKeyValue(stage, client)).toMatch(/^[A-Za-z0-9]{20,128}$/);
    }),
  );
});

test("value and name are the same every time, and differ for every client and stage", () => {
  const owners = [
    ["dev", `key#${uuid}`],
    ["dev", `user#${uuid}`],
    ["prod", `key#${uuid}`],
    ["dev-key", `key#${uuid}`],
  ] as const;
  const namesOfOwners = (make: typeof gatewayKeyName) => owners.map(([stage, client]) => make(stage, client));

  for (const make of [gatewayKeyName, gatewayKeyValue]) {
    expect(namesOfOwners(make)).toEqual(namesOfOwners(make));
    expect(new Set(namesOfOwners(make)).size).toBe(owners.length);
  }
});

test("the name of a gateway key shows the operator the owner of the key", () => {
  expect(gatewayKeyName("prod", `key#${uuid}`)).toBe(`assay-prod-key-${uuid}`);
});
