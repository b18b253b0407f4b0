import { expect, test } from "vitest";
import { listMonitors } from "../../../lib/contract/monitors/monitors.ts";
import { listTraces } from "../../../lib/contract/traces/traces.ts";
import { withMetadata } from "../../../lib/http/metadata-parameters.ts";

test("parameters called after keys of metadata are one, and any other stays as it is", () => {
  const given = { "metadata.a.b": ["1"], "metadata[c]": ["2", "3"], metadata: ["x"], "metadata.": ["y"], limit: ["4"] };

  expect(withMetadata(listTraces.query, given)).toEqual({
    metadata: { "a.b": ["1"], c: ["2", "3"] },
    "metadata.": ["y"],
    limit: ["4"],
  });
  expect(withMetadata(listTraces.query, { metadata: ["x"] })).toEqual({ metadata: ["x"] });
  expect(withMetadata(listMonitors.query, given)).toEqual(given);
});
