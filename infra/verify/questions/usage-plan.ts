import { randomUUID } from "node:crypto";
import { triggerMonitor } from "../../../lib/contract/monitors/monitors.ts";
import { replyExcerpt } from "../client/exchange.ts";
import { passUnless, skip, type Check } from "../check.ts";
import { refusalProblems, throttled } from "../refusals.ts";

/** Concurrent requests: far more than the burst of the usage plan on a route with a limit of 10 per minute. */
const burstSize = 60;

export const usagePlan: Check = {
  title: "The gateway's usage plan throttles one client that calls one route too fast",
  run: async ({ impatient }) => {
    const call = () => impatient.call(triggerMonitor, { params: { monitor_id: randomUUID() } });
    const replies = await Promise.all(Array.from({ length: burstSize }, call));
    const byLimit = replies.filter(({ text }) => text.includes("Rate limit exceeded"));
    const passed = replies.filter(({ status }) => status === 404);
    const byPlan = replies.filter((reply) => !byLimit.includes(reply) && !passed.includes(reply));
    if (byPlan.length === 0)
      return skip(
        `none of ${burstSize} concurrent requests were refused by the usage plan: it throttles a key separately only from a minute after the key's creation`,
      );
    const wrongReply = byPlan.find((reply) => refusalProblems("", reply, throttled).length > 0);
    return passUnless(
      wrongReply === undefined
        ? []
        : [`a refusal is ${replyExcerpt(wrongReply)} with Retry-After ${wrongReply.headers["retry-after"]}`],
      `of ${burstSize} concurrent requests ${passed.length} were accepted, ${byLimit.length} refused by the rate limit, ${byPlan.length} by the usage plan`,
    );
  },
};
