import { listProviders } from "../../../lib/contract/metrics/providers.ts";
import { getHealth } from "../../../lib/contract/service.ts";
import { listSessions } from "../../../lib/contract/sessions/sessions.ts";
import { listTraces } from "../../../lib/contract/traces/traces.ts";
import { median } from "../figures.ts";
import { passUnless, type Check } from "../check.ts";

const warmCalls = 5;

const measuredRoutes = [getHealth, listTraces, listSessions, listProviders];

export const routeTimes: Check = {
  title: "Routes answer; times of the first call, which may start a function, and the median of five more calls",
  run: async ({ project }) => {
    const [problems, times]: [string[], string[]] = [[], []];
    for (const route of measuredRoutes) {
      const replies = [await project.call(route)];
      while (replies.length <= warmCalls) replies.push(await project.call(route));
      const failedReply = replies.find(({ status }) => status !== 200);
      if (failedReply !== undefined) problems.push(`GET ${route.path} answered ${failedReply.status}`);
      const [first = 0, ...warm] = replies.map(({ milliseconds }) => milliseconds);
      times.push(`${route.path} ${Math.round(first)}, then ${Math.round(median(warm))} ms`);
    }
    return passUnless(problems, times.join("; "));
  },
};
