import { expect, test } from "vitest";
import { listMonitors } from "../../../lib/contract/monitors/monitors.ts";
import { listTraces } from "../../../lib/contract/traces/traces.ts";
import { withMetadata } from "../../../lib/http/parse-request.ts";

test("parameters named after metadata keys become one parameter, and any other stays unchanged", () => {
  const parameters = {
    "metadata.a.b": ["1"],
    "metadata[c]": ["2", "3"],
    metadata: ["x"],
    "metadata.": ["y"],
    limit: ["4"],
  };

  expect(withMetadata(listTraces.query, parameters)).toEqual({
    metadata: { "a.b": ["1"], c: ["2", "3"] },
    "metadata.": ["y"],
    limit: ["4"],
  });
  expect(withMetadata(listTraces.query, { metadata: ["x"] })).toEqual({ metadata: ["x"] });
  expect(withMetadata(listMonitors.query, parameters)).toEqual(parameters);
});
