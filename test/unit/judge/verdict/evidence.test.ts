import { describe, expect, test } from "vitest";
import { evidenceIn } from "../../../../lib/judge/verdict/evidence.ts";
import { maxTranscriptLength, renderTranscript } from "../../../../lib/judge/transcript/transcript.ts";
import { span, trace } from "../fixtures.ts";

const shownTrace = trace({
  output: "The parcel was handed over on Monday\nmorning.",
  spans: [
    span("a", { kind: "AGENT", input: { query: "Where is order ORD-1?" } }),
    span("b", { kind: "TOOL", name: "get_order", parent_span_id: "a", output: { status: "shipped", carrier: "DHL" } }),
  ],
});
const lookUp = evidenceIn(renderTranscript(shownTrace, maxTranscriptLength).sections);

describe("a judge's citation", () => {
  test.each([
    ["a quotation of a span", 'status":"shipped', { span_id: "b", quote: 'status":"shipped' }],
    ["one in quotation marks behind the span's number", "#2 output: “shipped”.", { span_id: "b", quote: "shipped" }],
    ["a line of the record", "#2 TOOL OK in #1", { span_id: "b", quote: "#2 TOOL OK in #1" }],
    ["a span by its number alone", "[#2]", { span_id: "b", quote: null }],
    ["a span's part", "span 1 input", { span_id: "a", quote: null }],
    ["the trace's own words, their line breaks apart", "handed over on Monday morning", { span_id: null }],
    ["a quotation in another case", 'STATUS": "Shipped'.replace(": ", ":"), { span_id: "b" }],
    ["a quotation of JSON with its escapes", 'status\\":\\"shipped', { span_id: "b" }],
    ["a line of the record with its code", "bbbb #2 TOOL OK in #1", { span_id: "b" }],
    ["several spans by their numbers", "#1, #2", { span_id: "a", quote: null }],
    ["a quotation with something left out", "The parcel ... on Monday", { span_id: null }],
    ["a quotation that stands in another span than it says", "#1: shipped", { span_id: "b", quote: "shipped" }],
  ])("is found: %s", (_, cited, expected) => {
    expect(lookUp([cited])).toMatchObject({
      cited: [expected],
      dropped: 0,
      checked: [{ found: true, span_id: expected.span_id }],
      foundShare: 1,
      tampering: false,
    });
  });

  test("is dropped and counted where the record does not contain it", () => {
    const invented = ["It was lost.", "#7", "#2: it was lost", "UPS", "parcel ... nowhere", "T ... e", 3];

    expect(lookUp(invented)).toMatchObject({ cited: [], dropped: 6, foundShare: 0 });
    expect(lookUp(["shipped", ...invented])).toMatchObject({ dropped: 6, foundShare: 0.1429 });
  });

  test("is one of ten at most, with 300 characters at most", () => {
    const long = "word ".repeat(100).trim();
    const citations = evidenceIn(renderTranscript(trace({ output: long }), maxTranscriptLength).sections)(
      Array.from({ length: 12 }, () => long),
    );

    expect(citations?.cited).toHaveLength(10);
    expect(citations?.cited.every(({ quote }) => quote?.length === 300)).toBe(true);
    expect(citations?.dropped).toBe(2);
  });

  test("is searched in the shown text, not in parts left out for length", () => {
    const output = `${"begin ".repeat(2_000)}the hidden middle${" end".repeat(2_000)}`;
    const { sections, coverage } = renderTranscript(trace({ output, spans: [] }), 3_000);

    expect(coverage.ratio).toBeLessThan(1);
    expect(evidenceIn(sections)(["the hidden middle", "begin begin"])).toMatchObject({
      cited: [{ span_id: null, quote: "begin begin" }],
      dropped: 1,
    });
  });

  test("is absent where the answer has no list of evidence", () => {
    expect(lookUp(undefined)).toBeNull();
    expect(lookUp([])).toMatchObject({ cited: [], dropped: 0, checked: [], foundShare: null, tampering: false });
  });
});
