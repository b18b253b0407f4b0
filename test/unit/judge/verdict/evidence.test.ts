import { describe, expect, test } from "vitest";
import { evidenceIn } from "../../../../lib/judge/verdict/evidence.ts";
import { longestTranscript, renderTranscript } from "../../../../lib/judge/transcript/transcript.ts";
import { span, trace } from "../fixtures.ts";

const shown = trace({
  output: "The parcel was handed over on Monday\nmorning.",
  spans: [
    span("a", { kind: "AGENT", input: { query: "Where is order ORD-1?" } }),
    span("b", { kind: "TOOL", name: "get_order", parent_span_id: "a", output: { status: "shipped", carrier: "DHL" } }),
  ],
});
const lookUp = evidenceIn(renderTranscript(shown, longestTranscript).sections);

describe("what a judge cites", () => {
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
  ])("is found: %s", (_, cited, found) => {
    expect(lookUp([cited])).toMatchObject({
      cited: [found],
      dropped: 0,
      checked: [{ found: true, span_id: found.span_id }],
      found: 1,
      tampering: false,
    });
  });

  test("is dropped and counted where the record does not have it", () => {
    const invented = ["It was lost.", "#7", "#2: it was lost", "UPS", "parcel ... nowhere", "T ... e", 3];

    expect(lookUp(invented)).toMatchObject({ cited: [], dropped: 6, found: 0 });
    expect(lookUp(["shipped", ...invented])).toMatchObject({ dropped: 6, found: 0.1429 });
  });

  test("is at most ten quotations of 300 characters", () => {
    const long = "word ".repeat(100).trim();
    const found = evidenceIn(renderTranscript(trace({ output: long }), longestTranscript).sections)(
      Array.from({ length: 12 }, () => long),
    );

    expect(found?.cited).toHaveLength(10);
    expect(found?.cited.every(({ quote }) => quote?.length === 300)).toBe(true);
    expect(found?.dropped).toBe(2);
  });

  test("is looked up in what was shown, not in what was left out for length", () => {
    const output = `${"begin ".repeat(2_000)}the hidden middle${" end".repeat(2_000)}`;
    const { sections, coverage } = renderTranscript(trace({ output, spans: [] }), 3_000);

    expect(coverage.ratio).toBeLessThan(1);
    expect(evidenceIn(sections)(["the hidden middle", "begin begin"])).toMatchObject({
      cited: [{ span_id: null, quote: "begin begin" }],
      dropped: 1,
    });
  });

  test("is nothing where the answer has no list of it", () => {
    expect(lookUp(undefined)).toBeNull();
    expect(lookUp([])).toMatchObject({ cited: [], dropped: 0, checked: [], found: null, tampering: false });
  });
});
