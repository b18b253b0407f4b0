import { describe, expect, test } from "vitest";
import { plainValue, instantOfNanos } from "../../../lib/otlp/wire/any-value.ts";
import { encodeResponse, encodeStatus } from "../../../lib/otlp/wire/encode-response.ts";
import { spanUuid, traceUuid } from "../../../lib/otlp/wire/span-ids.ts";

test("ids are UUIDs from which the original ids can be recovered", () => {
  const [trace, span] = ["5b8efff798038103d269b633813fc60c", "eee19b7ec3c1b174"];

  expect(traceUuid(trace)).toBe("5b8efff7-9803-8103-d269-b633813fc60c");
  expect(traceUuid(trace).replaceAll("-", "")).toBe(trace);
  expect(spanUuid(trace, span).replaceAll("-", "").slice(16)).toBe(span);
});

test("nanoseconds become instants with microseconds, 0 becomes null", () => {
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

test("attribute values become the JSON values that they represent", () => {
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

describe("protobuf replies", () => {
  test("are empty when every span was accepted", () => {
    expect(encodeResponse(0, "")).toHaveLength(0);
  });

  test("report the number of rejected spans, and the reason", () => {
    expect([...encodeResponse(300, "no")]).toEqual([0x0a, 7, 0x08, 0xac, 0x02, 0x12, 2, 0x6e, 0x6f]);
  });

  test("have a message short enough for ASCII headers", () => {
    const status = encodeStatus(3, `é${"x".repeat(1000)}`);

    expect(status.every((byte) => byte < 0x80)).toBe(true);
    expect(status.toString("latin1").slice(4)).toBe(`?${"x".repeat(99)}`);
  });
});
