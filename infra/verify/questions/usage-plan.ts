import { randomUUID } from "node:crypto";
import { triggerMonitor } from "../../../lib/contract/monitors/monitors.ts";
import { saying } from "../client/exchange.ts";
import { judged, notAsked, type Question } from "../question.ts";
import { gatewayRefusal, misfits } from "../refusals.ts";

/** Far more at once than the plan lets through on a route of 10 a minute. */
const atOnce = 60;

const throttled = gatewayRefusal("THROTTLED", 429, { "Retry-After": "1" });

export const usagePlan: Question = {
  title: "The gateway's usage plan throttles one client that calls one route too fast",
  ask: async ({ project }) => {
    const call = () => project.call(triggerMonitor, { params: { monitor_id: randomUUID() } });
    const replies = await Promise.all(Array.from({ length: atOnce }, call));
    const counted = replies.filter(({ text }) => text.includes("Rate limit exceeded"));
    const passed = replies.filter(({ status }) => status === 404);
    const byPlan = replies.filter((reply) => !counted.includes(reply) && !passed.includes(reply));
    if (byPlan.length === 0)
      return notAsked(
        `none of ${atOnce} requests at once met it: a key has throttles of its own from a minute after it was made`,
      );
    const wrong = byPlan.find((reply) => misfits("", reply, throttled).length > 0);
    return judged(
      wrong === undefined ? [] : [`a refusal is ${saying(wrong)} with Retry-After ${wrong.headers["retry-after"]}`],
      `of ${atOnce} at once ${passed.length} were let through, ${counted.length} refused by the limit, ${byPlan.length} by the plan`,
    );
  },
};
