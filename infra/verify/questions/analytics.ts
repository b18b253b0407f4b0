import * as v from "valibot";
import { withCount, inSeconds } from "../figures.ts";
import { fail, pass, type Check } from "../check.ts";
import { newTag, sampleTraces } from "../sample-traces.ts";
import { storeTraces } from "../store-traces.ts";
import { pollUntil } from "../poll-until.ts";

const hour = 3_600_000;

const volume = v.array(v.object({ trace_count: v.number() }));

export const analytics: Check = {
  title: "Analytics show new traces within seconds",
  run: async (context) => {
    const { project, timeouts } = context;
    // An hour in which no other check stores traces.
    const begin = Math.floor(Date.now() / hour) * hour - 100 * hour;
    const traces = sampleTraces(3, newTag("analytics"), begin + hour / 2);
    await storeTraces(project, traces);
    const query = {
      granularity: "hour" as const,
      started_after: new Date(begin).toISOString(),
      started_before: new Date(begin + hour).toISOString(),
    };
    const readCount = async (): Promise<number> =>
      v.parse(volume, await project.client.getTraceAnalytics({ query }))[0]?.trace_count ?? 0;
    const { value, isSatisfied, seconds } = await pollUntil(
      context,
      timeouts.analytics,
      readCount,
      (count) => count === traces.length,
    );
    const details = `${withCount(value, "trace")} of ${traces.length} after ${inSeconds(seconds)}`;
    return isSatisfied ? pass(details) : fail(details);
  },
};
