import { differences } from "../differences.ts";
import { passUnless, type Check } from "../check.ts";
import { newTag, sampleSpan, sampleTrace } from "../sample-traces.ts";

export const lateSpan: Check = {
  title: "A span that is sent after its trace is in the trace at once",
  run: async ({ project }) => {
    const trace = sampleTrace(newTag("late"));
    const span = sampleSpan(Date.parse(trace.started_at) + 1_000);
    const params = { trace_id: trace.trace_id };
    await project.client.createTrace({ body: trace });
    await project.client.createSpans({ path: params, body: [span] });
    const { spans } = await project.client.getTrace({ path: params });
    return passUnless(
      differences([...trace.spans, span], spans, "spans"),
      `${spans.length} spans, the late span as sent`,
    );
  },
};
