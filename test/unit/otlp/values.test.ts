import { describe, expect, test } from "vitest";
import { plainValue } from "../../../lib/otlp/any-value.ts";
import { encodeResponse, encodeStatus } from "../../../lib/otlp/encode-response.ts";
import { instantOfNanos } from "../../../lib/otlp/nano-instant.ts";
import { spanUuid, traceUuid } from "../../../lib/otlp/span-ids.ts";

test("ids are UUIDs from which the originals can be read", () => {
  const [trace, span] = ["5b8efff798038103d269b633813fc60c", "eee19b7ec3c1b174"];

  expect(traceUuid(trace)).toBe("5b8efff7-9803-8103-d269-b633813fc60c");
  expect(traceUuid(trace).replaceAll("-", "")).toBe(trace);
  expect(spanUuid(trace, span).replaceAll("-", "").slice(16)).toBe(span);
});

test("nanoseconds are instants to the microsecond, 0 is none", () => {
  expect(instantOfNanos("1795251600000000999")).toBe("2026-11-21T09:00:00+00:00");
  expect(instantOfNanos("1795251600000001000")).toBe("2026-11-21T09:00:00.000001+00:00");
  expect(instantOfNanos("18446744073709551615")).toBe("2554-07-21T23:34:33.709551+00:00");
  expect([instantOfNanos(0), instantOfNanos("x"), instantOfNanos(null), instantOfNanos(-1)]).toEqual([
    null,
    null,
    null,
    null,
  ]);
});

test("values of attributes are the JSON values they stand for", () => {
  const values = { arrayValue: { values: [{ boolValue: false }, { kvlistValue: { values: [] } }, {}] } };

  expect(plainValue(values)).toEqual([false, {}, null]);
  expect(plainValue({ intValue: "42" })).toBe(42);
  expect(JSON.stringify(plainValue({ intValue: "9223372036854775807" }))).toBe("9223372036854775807");
  expect(plainValue({ doubleValue: "NaN" })).toBe("NaN");
  expect(plainValue({ bytesValue: "AAE=" })).toBe("AAE=");
  expect(plainValue({ kvlistValue: { values: [{ key: "__proto__", value: { stringValue: "x" } }] } })).toEqual(
    JSON.parse('{"__proto__":"x"}'),
  );
});

describe("replies in protobuf", () => {
  test("are empty when everything was taken", () => {
    expect(encodeResponse(0, "")).toHaveLength(0);
  });

  test("say how many spans were not, and why", () => {
    expect([...encodeResponse(300, "no")]).toEqual([0x0a, 7, 0x08, 0xac, 0x02, 0x12, 2, 0x6e, 0x6f]);
  });

  test("carry texts short enough to travel as ASCII", () => {
    const status = encodeStatus(3, `é${"x".repeat(1000)}`);

    expect(status.every((byte) => byte < 0x80)).toBe(true);
    expect(status.toString("latin1").slice(4)).toBe(`?${"x".repeat(99)}`);
  });
});
