import { getTrace } from "../../../lib/contract/traces/traces.ts";
import { passUnless, type Check } from "../check.ts";
import { newTag, sampleTrace } from "../sample-traces.ts";

export const deletedTrace: Check = {
  title: "A deleted trace answers 404 and disappears from the list at once",
  run: async ({ project }) => {
    const tag = newTag("deleted");
    const trace = sampleTrace(tag);
    const params = { trace_id: trace.trace_id };
    await project.client.createTrace({ body: trace });
    await project.client.deleteTrace({ path: params });
    const { status } = await project.call(getTrace, { params });
    const { total } = await project.client.listTraces({ query: { tags: [tag] } });
    return passUnless(
      [
        ...(status === 404 ? [] : [`reading it answered ${status}`]),
        ...(total === 0 ? [] : [`the list still has ${total}`]),
      ],
      "204, then 404 and a total of 0",
    );
  },
};
