import { expect, test } from "vitest";
import { droppedParts } from "../../../lib/domain/dropped-parts.ts";
import { storedSpan } from "../../support/otlp/otlp-span.ts";

test("dropped attributes, events and links of a span are counted, with attributes of its events and links", () => {
  const link = { traceId: "11".repeat(16), spanId: "22".repeat(8), droppedAttributesCount: 4 };
  const events = [{ name: "a", timeUnixNano: "1795251600000000000", droppedAttributesCount: 2 }, { name: "b" }];
  const span = storedSpan(
    {},
    { droppedAttributesCount: 1, droppedEventsCount: 1, droppedLinksCount: 2, events, links: [link] },
  );

  expect(droppedParts(span.metadata)).toBe("7 attributes, 1 event, 2 links");
  expect(droppedParts(storedSpan({}, { droppedAttributesCount: 0 }).metadata)).toBeNull();
});

test.each([{}, { "otel.others": null, "otel.events": "x", "otel.links": [null, 5] }])(
  "nothing is counted in %j",
  (metadata) => {
    expect(droppedParts(metadata)).toBeNull();
  },
);
