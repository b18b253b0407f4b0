import * as v from "valibot";
import { counted, inSeconds } from "../figures.ts";
import { fails, holds, type Question } from "../question.ts";
import { newTag, sampleTraces } from "../sample-traces.ts";
import { storeTraces } from "../store-traces.ts";
import { until } from "../until.ts";

const hour = 3_600_000;

const volume = v.array(v.object({ trace_count: v.number() }));

export const analytics: Question = {
  title: "Analytics show new traces within seconds",
  ask: async (scene) => {
    const { project, patience } = scene;
    // An hour in which no other question has traces.
    const begin = Math.floor(Date.now() / hour) * hour - 100 * hour;
    const traces = sampleTraces(3, newTag("analytics"), begin + hour / 2);
    await storeTraces(project, traces);
    const query = {
      granularity: "hour" as const,
      started_after: new Date(begin).toISOString(),
      started_before: new Date(begin + hour).toISOString(),
    };
    const look = async (): Promise<number> =>
      v.parse(volume, await project.client.getTraceAnalytics({ query }))[0]?.trace_count ?? 0;
    const { found, isSo, seconds } = await until(scene, patience.analytics, look, (count) => count === traces.length);
    const seen = `${counted(found, "trace")} of ${traces.length} after ${inSeconds(seconds)}`;
    return isSo ? holds(seen) : fails(seen);
  },
};
