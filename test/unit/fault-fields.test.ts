import { expect, test } from "vitest";
import { faultFields } from "../../lib/log.ts";

test("the log fields of several errors have their causes by name, code and place, and no message", () => {
  const refused = Object.assign(new Error("secret"), { code: "ECONNREFUSED" });
  const errors = [refused, new RangeError("secret"), "secret"];

  const fields = faultFields(new AggregateError(errors, "secret"));

  expect(fields).toMatchObject({
    fault: "AggregateError",
    causes: [
      expect.stringMatching(/^\{"fault":"Error","code":"ECONNREFUSED","at":\[" {4}at .*fault-fields/u),
      expect.stringMatching(/^\{"fault":"RangeError","at":\[" {4}at .*fault-fields/u),
      '{"fault":"string"}',
    ],
  });
  expect(JSON.stringify(fields)).not.toContain("secret");
});
