import { parse } from "valibot";
import { expect, test } from "vitest";
import { exportTraces } from "../../../lib/contract/otlp/export-traces.ts";
import { telemetryNotes } from "../../../lib/domain/telemetry-notes.ts";
import { exportedSpans } from "../../../lib/otlp/traces/exported-spans.ts";
import { tracesOf } from "../../../lib/otlp/traces/traces-of.ts";
import { jsonExport, jsonSpan } from "../../support/otlp/otlp.ts";
import { attributesOf } from "../../support/otlp/otlp-span.ts";

test("texts of JSON are parsed up to 500,000 values in a request; the others stay texts, which is noted once", () => {
  const attributes = attributesOf({ "input.value": `[${"0,".repeat(199_998)}0]` });
  const sent = [1, 2, 3, 4].map((digit) => jsonSpan("a".repeat(32), String(digit).repeat(16), { attributes }));
  const { spans } = exportedSpans(parse(exportTraces.body, jsonExport(sent)));
  const notes = telemetryNotes();

  const inputs = tracesOf(spans, notes).traces.flatMap(({ trace }) => trace.spans?.map(({ input }) => typeof input));

  expect(inputs).toEqual(["object", "object", "string", "string"]);
  expect(notes.sentences()).toEqual(["JSON texts beyond 500000 values in a request are stored as texts."]);
});

test.each(["function.args", "gen_ai.prompt"])("lists of Python in %s that are nested too deeply stay texts", (name) => {
  const text = `user: ${"[".repeat(100_000)}${"]".repeat(100_000)}`.slice(name === "function.args" ? 6 : 0);
  const span = jsonSpan("b".repeat(32), "1".repeat(16), { attributes: attributesOf({ [name]: text }) });
  const { spans } = exportedSpans(parse(exportTraces.body, jsonExport([span])));
  const [exported] = spans;
  if (exported === undefined) throw new Error("The span was not exported.");

  const { traces, rejections } = tracesOf([{ ...exported, scope: { ...exported.scope, name: "openlit" } }]);

  expect([traces.length, rejections]).toEqual([1, []]);
});
