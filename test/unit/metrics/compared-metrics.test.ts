import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../../../lib/domain/json.ts";
import type { ComparisonContext, ComparedMetric, SessionMaterial } from "../../../lib/judge/metric/metric.ts";
import { coherence } from "../../../lib/metrics/trace/coherence.ts";
import { loopDetection } from "../../../lib/metrics/trace/loop-detection.ts";
import { cosineDistance, wordSimilarity } from "../../../lib/metrics/trace/similarity.ts";
import { textForm } from "../../../lib/metrics/trace/text-form.ts";
import { span, trace } from "../judge/fixtures.ts";
import { material } from "./material.ts";

const textsOf = (metric: ComparedMetric, session: SessionMaterial): readonly string[] => {
  const texts = metric.texts(session);
  if ("value" in texts) throw new Error("There is nothing to compare.");
  return texts;
};
const angle = (cosine: number): readonly number[] => [cosine, Math.sqrt(1 - cosine ** 2)];
/** Context with the similarities of unrelated pairs. */
const among = (similarities: readonly number[]): ComparisonContext => ({
  model: "test/model",
  unrelated: { source: "reference", pairs: similarities.map((cosine) => [[1, 0], angle(cosine)]) },
});
const outputs = (...outputValues: readonly Json[]) => outputValues.map((output) => trace({ output }));

describe("the text of a value", () => {
  test.each<[Json, string]>([
    [null, ""],
    ["", ""],
    ["as it is", "as it is"],
    [{}, "{}"],
    [{ q: 1, list: [true, null, "é"] }, '{"q": 1, "list": [true, null, "é"]}'],
    [JSON.rawJSON("9007199254740993"), "9007199254740993"],
  ])("%j is %j", (value, text) => {
    expect(textForm(value)).toBe(text);
  });
});

describe("the cosine distance", () => {
  test.each([
    [[1, 1], [1, 0], 0.2929],
    [[1, 0], [2, 0], 0],
    [[1, 0], [0, 1], 1],
    [[1, 0], [-1, 0], 1],
    [[0, 0], [1, 0], 1],
    [[1e200, 0], [1e200, 0], 1],
  ])("of %j and %j is %f", (a, b, distance) => {
    expect(cosineDistance(a, b)).toBeCloseTo(distance, 4);
  });

  test("is a number from 0 to 1, whatever the vectors", () => {
    const vector = fc.array(fc.double({ noNaN: true }), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(vector, vector, (a, b) => {
        const distance = cosineDistance(a, b);
        expect(distance >= 0 && distance <= 1).toBe(true);
      }),
    );
    expect.hasAssertions();
  });
});

describe("coherence", () => {
  test("compares the texts of input and output", () => {
    expect(coherence.texts(material({ input: { q: 1 }, output: "one", spans: [] }))).toEqual(['{"q": 1}', "one"]);
  });

  test.each<[Json, Json]>([
    [null, "x"],
    ["x", ""],
    [null, null],
    [{}, "x"],
    ["x", { messages: [{ role: "assistant", content: " " }] }],
  ])("is 1 with a note when there is nothing to compare: %j, %j", (input, output) => {
    expect(coherence.texts(material({ input, output }))).toMatchObject({
      value: 1,
      details: { coherence_gap: 0, note: "empty_input_or_output" },
    });
  });

  test("is one minus the gap, which its reason states to four decimal places", () => {
    const vectors = [
      [1, 1],
      [1, 0],
    ];

    const { value, reason, details } = coherence.score(vectors, material(), among([0.1, 0.2, 0.5, 0.9]));

    expect(String(value)).toBe("0.7071");
    expect(reason).toContain(" 0.2929;");
    expect(reason).toContain("by test/model");
    expect(reason).toContain("75 % of 4 fixed pairs");
    expect(details).toEqual({
      coherence_gap: 0.2929,
      embedding_model: "test/model",
      unrelated_place: 0.75,
      unrelated_pairs: 4,
      unrelated_source: "reference",
    });
  });

  test.each([
    [0.6, [0.1, 0.2, 0.3], true],
    [0.3, [0.1, 0.2, 0.4], false],
    [0.9, [0.9, 0.9, 0.9], false],
    [0.1, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0.2], true],
  ])("of %f among unrelated pairs of %j is a success: %s", (cosine, unrelatedSimilarities, success) => {
    const scored = coherence.score([[1, 0], angle(cosine)], material(), among(unrelatedSimilarities));

    expect(scored).toMatchObject({ value: cosine, success });
  });

  test.each<[Json, Json, readonly string[]]>([
    [
      {
        messages: [
          { role: "system", content: "Be kind." },
          { role: "user", content: "Where is it?" },
        ],
      },
      {
        messages: [
          { role: "user", content: "Where is it?" },
          { role: "assistant", content: "In Lyon." },
        ],
      },
      ["Where is it?", "In Lyon."],
    ],
    [
      { query: "Where is it?" },
      { role: "assistant", content: [{ type: "text", text: "In Lyon." }] },
      ["Where is it?", "In Lyon."],
    ],
    ["Where is it?", { answer: "In Lyon.", sources: [1] }, ["Where is it?", "In Lyon."]],
    ["Where is it?", { eta: 3 }, ["Where is it?", '{"eta": 3}']],
  ])("compares texts without their JSON wrapper: %j", (input, output, texts) => {
    expect(textsOf(coherence, material({ input, output, spans: [] }))).toEqual(texts);
  });

  test("compares the answer with the user's last message, at any place in the record", () => {
    const messages = [
      { role: "user", content: "Book it." },
      { role: "assistant", content: "Which?" },
      { role: "user", content: "The first." },
    ];

    const session = material({
      input: "Book it.",
      output: "Booked.",
      spans: [span("a", { kind: "LLM", input: { messages } })],
    });

    expect(textsOf(coherence, session)).toEqual(["The first.", "Booked."]);
  });
});

describe("loop_detection", () => {
  test.each([
    ["no session context provided", material({ output: "x" })],
    ["empty_output", material({ output: null }, {}, outputs("x"))],
    ["no_previous_outputs", material({ output: "x" }, {}, outputs(null, "", null))],
    ["no_previous_outputs", material({ output: "x" }, {}, outputs("too old", null, null, null))],
  ])("is 1 with the note %s", (note, session) => {
    expect(loopDetection.texts(session)).toMatchObject({
      value: 1,
      inapplicable: expect.stringMatching(/^(?:no_session_context|empty_output|no_previous_outputs)$/u),
      details: { note },
    });
  });

  test("is one minus the product of both similarities to the nearest earlier output", () => {
    const session = material({ output: "The cat sat on the mat" }, {}, outputs("cat sat mat happily"));

    expect(loopDetection.score([[1, 0], angle(0.8)], session, among([]))).toMatchObject({
      value: 0.4,
      details: {
        window_size: 1,
        max_hybrid: 0.6,
        comparisons: [{ trace_index: 0, cosine_similarity: 0.8, jaccard_similarity: 0.75, hybrid_score: 0.6 }],
      },
    });
  });

  test("compares with the last three earlier outputs that are not empty, by their original positions", () => {
    const session = material({ output: "now" }, {}, outputs("one", "two", null, "four"), 5);

    expect(textsOf(loopDetection, session)).toEqual(["now", "two", "four"]);
    const { details } = loopDetection.score([[1], [1], [1]], session, among([]));
    expect(details["comparisons"]).toMatchObject([{ trace_index: 6 }, { trace_index: 8 }]);
  });

  test("names the repeated trace in its reason", () => {
    const session = material({ output: "same words" }, {}, outputs("other thing", "same words"));

    const scored = loopDetection.score([[1], [1], [1]], session, among([]));

    expect(scored).toMatchObject({ value: 0, reason: expect.stringContaining("trace 2 of the session") });
  });
});

describe("the similarity of words", () => {
  test.each([
    ["The cat sat on the mat", "cat sat mat happily", 0.75],
    ["the a of", "to be it", 0],
    ["A b c", "a b c", 0],
    ["Größe 42", "größe 42", 1],
    ["", "x", 0],
  ])("of %j and %j is %f", (a, b, similarity) => {
    expect(wordSimilarity(a, b)).toBe(similarity);
  });
});
