import { differences } from "../differences.ts";
import { judged, type Question } from "../question.ts";
import { newTag, sampleSpan, sampleTrace } from "../sample-traces.ts";

export const lateSpan: Question = {
  title: "A span that is sent late is in its trace at once",
  ask: async ({ project }) => {
    const trace = sampleTrace(newTag("late"));
    const late = sampleSpan(Date.parse(trace.started_at) + 1_000);
    const params = { trace_id: trace.trace_id };
    await project.client.createTrace({ body: trace });
    await project.client.createSpans({ path: params, body: [late] });
    const { spans } = await project.client.getTrace({ path: params });
    return judged(differences([...trace.spans, late], spans, "spans"), `${spans.length} spans, the late one as sent`);
  },
};
