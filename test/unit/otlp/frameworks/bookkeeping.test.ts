import { expect, test } from "vitest";
import type { Trace } from "../../../../lib/domain/traces/trace.ts";
import { renderTranscript } from "../../../../lib/judge/transcript/transcript.ts";
import { recordedRequest, recordedSpans, tracesIn } from "../../../support/otlp/otlp-fixtures.ts";

/** Share of the characters that a judge is shown which are neither a message, input or output, an error nor a name. */
const bookkeepingShare = (trace: Trace): number => {
  const { sections } = renderTranscript(trace, 1_000_000);
  const size = (shown: typeof sections) =>
    shown.reduce((sum, { head, body }) => sum + head.length + 1 + (body === "" ? 0 : body.length + 1), 0);
  const isBookkeeping = ({ head, part }: (typeof sections)[number]): boolean =>
    part === "aside" || head.endsWith("Trace metadata:");
  return size(sections.filter(isBookkeeping)) / size(sections);
};

test.each(recordedSpans)("bookkeeping is below 15 percent of what a judge is shown of %s", (file) => {
  const shares = tracesIn(recordedRequest(file)).map(bookkeepingShare);

  expect(shares.length).toBeGreaterThan(0);
  expect(Math.max(...shares)).toBeLessThan(0.15);
});

// Values of Python objects and of settings that instrumentations record among arguments.
test.each(recordedSpans)("a judge of %s is shown no object addresses and no settings of a framework", (file) => {
  const texts = tracesIn(recordedRequest(file)).map((trace) => renderTranscript(trace, 1_000_000).text);

  expect(texts.join("\n")).not.toMatch(
    /object at 0x|sanitize_inputs_outputs"?:|memory_step:|init_state|state_delta|block_type='text'|num_workers/u,
  );
});

test("a judge of LangGraph.js is shown at most a tenth more than one of LangGraph in Python for the same question", () => {
  const [inJavaScript = 0, inPython = 0] = ["oi-js.00079._v1_traces", "langgraph_oi.0004"].map(
    (name) => renderTranscript(tracesIn(recordedRequest(`frameworks/${name}.pb.gz`))[0]!, 1_000_000).text.length,
  );

  expect(inJavaScript).toBeGreaterThan(0);
  expect(inJavaScript).toBeLessThanOrEqual(1.1 * inPython);
});
