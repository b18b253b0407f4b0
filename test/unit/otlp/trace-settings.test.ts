import { expect, test } from "vitest";
import type { JsonObject } from "../../../lib/domain/json.ts";
import { telemetryKeys } from "../../../lib/domain/traces/telemetry.ts";
import { spanOfTrace } from "../../../lib/langfuse/event-span.ts";
import { traceSettingsOf } from "../../../lib/otlp/traces/trace-settings.ts";

const traceId = "5b8efff7-9803-4103-a269-b633813fc60c";

/** Returns the metadata that attributes set of a trace. */
const metadataOf = (attributes: JsonObject): JsonObject => {
  const at = "2026-11-21T09:00:00+00:00";
  const span = spanOfTrace({ kind: "trace", id: "e", at, body: { id: traceId }, attributes: {} }, traceId);
  return traceSettingsOf({ ...span, attributes: { ...span.attributes, ...attributes } }, (_, text) => text).metadata;
};

test("what no field of a trace takes is metadata, and our own keys among it have another name", () => {
  const metadata = metadataOf({ "odd.key": "kept", "otel.external_id": "forged", "odd.empty": "" });

  expect(metadata).toMatchObject({ "odd.key": "kept", "metadata.otel.external_id": "forged" });
  expect(Object.keys(metadata)).not.toContain("otel.external_id");
  expect(Object.keys(metadata)).not.toContain("odd.empty");
});

test("attributes that are set of a trace name its experiment, item and dataset as those of spans do", () => {
  const metadata = metadataOf({
    "langfuse.experiment.id": "e-1",
    "langfuse.experiment.name": "nightly",
    "langfuse.experiment.item.id": "i-1",
    "langfuse.experiment.dataset.id": "d-1",
  });

  expect(metadata).toMatchObject({
    [telemetryKeys.experiment]: "nightly",
    [telemetryKeys.experimentId]: "e-1",
    [telemetryKeys.experimentItem]: "i-1",
    [telemetryKeys.dataset]: "d-1",
  });
});
