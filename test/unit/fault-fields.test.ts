import { expect, test } from "vitest";
import { faultFields } from "../../lib/log.ts";

test("the log fields of several errors have their different causes by name, code and place, and no message", () => {
  const refused = Object.assign(new Error("secret"), { code: "ECONNREFUSED" });
  const errors = [refused, refused, new RangeError("secret"), "secret"];

  const fields = faultFields(new AggregateError(errors, "secret"));

  expect(fields).toMatchObject({
    fault: "AggregateError",
    causes: [
      expect.stringMatching(/^Error ECONNREFUSED at .*fault-fields/u),
      expect.stringMatching(/^RangeError at .*fault-fields/u),
      "string",
    ],
  });
  expect(JSON.stringify(fields)).not.toContain("secret");
});
