import fc from "fast-check";
import { expect, test } from "vitest";
import { mergeSpans } from "../../../../lib/domain/traces/merge.ts";
import { mergeProvenance, noProvenance, promptText, provenanceOf } from "../../../../lib/domain/traces/provenance.ts";
import { storedSpan } from "../../../support/otlp/otlp-span.ts";

const spanWith = (metadata: Readonly<Record<string, string>>, index = 0) =>
  mergeSpans([], [{ span_id: `${index}`, name: "x", started_at: "2026-10-01T10:00:00+00:00", metadata }]);

const label = fc.option(fc.nat(5).map(String));

test("prompts and experiment of spans that arrive in groups are those of all spans together, in any order", () => {
  const texts = fc.array(fc.record({ name: label, version: label, experiment: label, item: label }), { maxLength: 40 });
  fc.assert(
    fc.property(texts, fc.nat(40), (fields, cut) => {
      const spans = fields.flatMap(({ name, version, experiment, item }, index) => {
        const metadata = {
          "otel.prompt_name": name,
          "otel.prompt_version": version,
          "otel.experiment": experiment,
          "otel.experiment_item": item,
        };
        return spanWith(
          Object.fromEntries(Object.entries(metadata).filter(([, text]) => text !== null)) as never,
          index,
        );
      });
      const [first, rest] = [provenanceOf(spans.slice(0, cut)), provenanceOf(spans.slice(cut))];

      expect(mergeProvenance(first, rest)).toEqual(provenanceOf(spans));
      expect(mergeProvenance(rest, first)).toEqual(provenanceOf(spans.toReversed()));
    }),
  );
});

test("a trace has at most 16 prompts, and none that is longer than 200 characters", () => {
  const spans = Array.from({ length: 20 }, (_, index) =>
    spanWith({ "otel.prompt_name": `p${String(index).padStart(2, "0")}` }, index),
  ).flat();

  const { prompts } = provenanceOf([...spans, ...spanWith({ "otel.prompt_name": "a".repeat(201) })]);

  expect(prompts.map(({ name }) => name)).toEqual(spans.slice(0, 16).map((span) => span.metadata["otel.prompt_name"]));
});

test.each([
  [{ name: "greet", version: "3" }, "greet@3"],
  [{ name: "greet", version: null }, "greet"],
  [{ name: null, version: "3" }, "@3"],
])("the text of the prompt %j is %s", (prompt, text) => {
  expect(promptText(prompt)).toBe(text);
});

test.each([
  [
    { "langfuse.observation.prompt.name": "greet", "langfuse.observation.prompt.version": 3 },
    { prompts: [{ name: "greet", version: "3" }] },
  ],
  [
    { "langfuse.experiment.id": "e-1", "langfuse.experiment.name": "nightly", "langfuse.experiment.item.id": "i-1" },
    { experiment: "nightly", experimentId: "e-1", experimentItem: "i-1" },
  ],
  [{ "langfuse.experiment.id": "e-1" }, { experiment: "e-1", experimentId: "e-1" }],
  [
    { "openinference.span.kind": "LLM", "prompt.id": "greet", "llm.prompt_template.version": "v1.0" },
    { prompts: [{ name: "greet", version: "v1.0" }] },
  ],
  [{ "llm.prompt_template.version": "v1.0" }, { prompts: [{ name: null, version: "v1.0" }] }],
  [
    { "llm.prompt_template.name": "plan", "openinference.span.kind": "LLM", "prompt.id": "UHJvbXB0OjE=" },
    { prompts: [{ name: "plan", version: null }] },
  ],
  [{ "gen_ai.prompt.name": "greet" }, { prompts: [{ name: "greet", version: null }] }],
  // Identifies a message of the user, in Claude Code.
  [{ "session.id": "s", "prompt.id": "0b6c2f3e" }, {}],
])("the attributes %j say %j", (attributes, provenance) => {
  expect(provenanceOf([storedSpan(attributes as never)])).toEqual({ ...noProvenance, ...provenance });
});
