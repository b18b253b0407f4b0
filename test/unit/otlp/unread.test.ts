import { expect, test } from "vitest";
import type { ExportedSpan } from "../../../lib/conventions/attributes/exported-span.ts";
import type { Readers } from "../../../lib/conventions/convention.ts";
import { precedence, spanFields } from "../../../lib/conventions/precedence.ts";
import { parseInstant } from "../../../lib/domain/instant.ts";
import type { JsonObject } from "../../../lib/domain/json.ts";
import { telemetryNotes } from "../../../lib/domain/telemetry-notes.ts";
import { tracesOf } from "../../../lib/otlp/traces/traces-of.ts";

const startedAt = parseInstant("2026-11-21T09:00:00Z")!;

const spanWith = (attributes: JsonObject): ExportedSpan => ({
  traceId: "5b8efff798038103d269b633813fc60c",
  spanId: "eee19b7ec3c1b174",
  parentSpanId: null,
  parentIsRemote: false,
  name: "chat",
  kind: null,
  startedAt,
  endedAt: startedAt,
  status: "OK",
  statusMessage: "",
  attributes,
  events: [],
  links: [],
  scope: { name: "", version: "", attributes: {} },
  resource: {},
  otherFields: {},
});

/** Names of the attributes that conventions read; of a prefix a name below it. */
const names = new Set(
  precedence.flatMap((convention) =>
    spanFields.flatMap((field) =>
      ((convention[field] ?? []) as Readers<unknown>).flatMap(({ names: read = [], sources = {} }) =>
        [...read, ...Object.values(sources).flat()]
          .filter((name) => !name.startsWith("("))
          .map((name) => name.replace("N", "0").replace("*", "other")),
      ),
    ),
  ),
);

const marker = "m1f0c7";
const values = [
  marker,
  [marker],
  { [marker]: marker },
  [{ a: marker }],
  JSON.stringify({ a: [marker] }),
  JSON.stringify(marker),
];

test("an attribute that a convention reads is stored in some place or noted, whatever its form", () => {
  const lost = [...names].flatMap((name) =>
    values.flatMap((value) => {
      const notes = telemetryNotes();
      const { traces, flaws } = tracesOf([spanWith({ "openinference.span.kind": "LLM", [name]: value })], notes);
      const kept = JSON.stringify([traces, flaws, notes.sentences()]).includes(marker);
      return kept ? [] : [`${name}: ${JSON.stringify(value)}`];
    }),
  );

  expect(names.size).toBeGreaterThan(200);
  expect(lost).toEqual([]);
});
