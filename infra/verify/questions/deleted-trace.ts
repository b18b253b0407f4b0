import { getTrace } from "../../../lib/contract/traces/traces.ts";
import { judged, type Question } from "../question.ts";
import { newTag, sampleTrace } from "../sample-traces.ts";

export const deletedTrace: Question = {
  title: "A deleted trace is a 404 and off the list at once",
  ask: async ({ project }) => {
    const tag = newTag("deleted");
    const trace = sampleTrace(tag);
    const params = { trace_id: trace.trace_id };
    await project.client.createTrace({ body: trace });
    await project.client.deleteTrace({ path: params });
    const { status } = await project.call(getTrace, { params });
    const { total } = await project.client.listTraces({ query: { tags: [tag] } });
    return judged(
      [
        ...(status === 404 ? [] : [`reading it answered ${status}`]),
        ...(total === 0 ? [] : [`the list still has ${total}`]),
      ],
      "204, then 404 and a total of 0",
    );
  },
};
