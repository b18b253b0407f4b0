import { listProviders } from "../../../lib/contract/metrics/providers.ts";
import { getHealth } from "../../../lib/contract/service.ts";
import { listSessions } from "../../../lib/contract/sessions/sessions.ts";
import { listTraces } from "../../../lib/contract/traces/traces.ts";
import { median } from "../figures.ts";
import { judged, type Question } from "../question.ts";

const warmCalls = 5;

const asked = [getHealth, listTraces, listSessions, listProviders];

export const routeTimes: Question = {
  title: "Routes answer; their first call, which may start a function, and the median of five more",
  ask: async ({ project }) => {
    const [failed, times]: [string[], string[]] = [[], []];
    for (const route of asked) {
      const replies = [await project.call(route)];
      while (replies.length <= warmCalls) replies.push(await project.call(route));
      const bad = replies.find(({ status }) => status !== 200);
      if (bad !== undefined) failed.push(`GET ${route.path} answered ${bad.status}`);
      const [first = 0, ...warm] = replies.map(({ milliseconds }) => milliseconds);
      times.push(`${route.path} ${Math.round(first)}, then ${Math.round(median(warm))} ms`);
    }
    return judged(failed, times.join("; "));
  },
};
