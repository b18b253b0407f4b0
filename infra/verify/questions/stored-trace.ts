import { createTrace, getTrace } from "../../../lib/contract/traces/traces.ts";
import { replyExcerpt } from "../client/exchange.ts";
import { differences } from "../differences.ts";
import { passUnless, type Check } from "../check.ts";
import { newTag, sampleSpan, sampleTrace } from "../sample-traces.ts";

/** A number with more digits than a double: it survives only if the service stores numbers as text. */
const manyDigits = "12345678901234567890.125";

const text = 'Grüße, 東京, שלום, 🚂, e\u0301, "quoted", back\\slash,\ttab,\nnew line, \u0001, \u2028';

export const storedTrace: Check = {
  title: "A trace is accepted with 202, is read back unchanged and is listed with an exact total",
  run: async ({ project }) => {
    const tag = newTag("stored");
    const output = { tenth: 0.1, small: -1e-7, large: 1.5e300, whole: 9_007_199_254_740_991, exact: 0, text };
    const usage = { prompt_tokens: 12, completion_tokens: 3 };
    const trace = {
      ...sampleTrace(tag),
      input: { messages: [{ role: "user", content: text }] },
      metadata: { [text]: text, nested: [[], {}, null, true, ""] },
      spans: [{ ...sampleSpan(Date.now() - 59_000), output, token_usage: usage }],
    };
    const bytes = JSON.stringify(trace).replace('"exact":0', `"exact":${manyDigits}`);
    const reply = await project.call(createTrace, { bytes });
    const params = { trace_id: trace.trace_id };
    const storedTraceBody = await project.client.getTrace({ path: params });
    const raw = await project.call(getTrace, { params });
    const { total, items } = await project.client.listTraces({ query: { tags: [tag] } });
    const isListed = total === 1 && items[0]?.trace_id === trace.trace_id && items[0].span_count === 1;
    return passUnless(
      [
        ...(reply.status === 202 ? [] : [`storing it answered ${replyExcerpt(reply)}`]),
        ...differences(JSON.parse(bytes), storedTraceBody),
        ...(raw.text.includes(manyDigits) ? [] : [`the number ${manyDigits} was changed`]),
        ...(isListed ? [] : [`the list of one trace has a total of ${total} and ${items.length} items`]),
      ],
      `${Buffer.byteLength(bytes)} bytes with numbers and non-ASCII text read back unchanged, total 1`,
    );
  },
};
