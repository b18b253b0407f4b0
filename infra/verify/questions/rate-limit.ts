import { randomUUID } from "node:crypto";
import { listTraceMetrics } from "../../../lib/contract/metrics/metric-lists.ts";
import { triggerMonitor } from "../../../lib/contract/monitors/monitors.ts";
import { replyExcerpt, type Reply } from "../client/exchange.ts";
import { fail, passUnless, type Check, type CheckContext } from "../check.ts";

/** Concurrent requests per batch: more than the default rate limit, fewer than the burst of the usage plan. */
const burstSize = 15;

/** Requests without a refusal after which no rate limit exists. High, because `limitFactor` raises the limit of a deployment. */
const maxRequests = 300;

/** Sends a rate-limited request that costs nothing, because the monitor does not exist. */
const trigger = ({ project }: CheckContext): Promise<Reply> =>
  project.call(triggerMonitor, { params: { monitor_id: randomUUID() } });

const retryAfterSeconds = ({ headers }: Reply): number => Number(headers["retry-after"] ?? Number.NaN);

/** Sends batches of requests until a request is refused. */
const callUntilRefused = async (context: CheckContext): Promise<readonly Reply[]> => {
  const replies: Reply[] = [];
  while (replies.length < maxRequests && !replies.some(({ status }) => status === 429))
    replies.push(...(await Promise.all(Array.from({ length: burstSize }, () => trigger(context)))));
  return replies;
};

const countReplies = (replies: readonly Reply[]) => ({
  passed: replies.filter(({ status }) => status === 404).length,
  refusals: replies.filter(({ status }) => status === 429),
});

const limitOf = ({ text }: Reply): number => Number(/Rate limit exceeded: (\d+) per minute\./u.exec(text)?.[1]);

const isWellFormed = (reply: Reply): boolean =>
  /^[1-9]\d?$/u.test(String(reply.headers["retry-after"])) &&
  retryAfterSeconds(reply) <= 60 &&
  !Number.isNaN(limitOf(reply));

export const rateLimit: Check = {
  title: "A rate limit refuses with 429 and Retry-After at exactly its limit, and other routes are not affected",
  run: async (context) => {
    let replies = await callUntilRefused(context);
    let { passed, refusals } = countReplies(replies);
    let [first] = refusals;
    if (first === undefined) return fail(`${replies.length} requests within a minute were accepted`);
    if (isWellFormed(first) && passed !== limitOf(first)) {
      // Earlier requests had already used part of this minute: the limit can only be counted in a new minute.
      await context.wait(Math.max(...refusals.map(retryAfterSeconds)) * 1000);
      replies = await callUntilRefused(context);
      ({ passed, refusals } = countReplies(replies));
      first = refusals[0] ?? first;
    }
    const limit = limitOf(first);
    const unexpected = replies.filter(({ status }) => status !== 404 && status !== 429);
    const otherRoute = await context.project.call(listTraceMetrics);
    return passUnless(
      [
        ...refusals
          .filter((reply) => !isWellFormed(reply))
          .slice(0, 1)
          .map((reply) => `a refusal is ${replyExcerpt(reply)} with Retry-After ${reply.headers["retry-after"]}`),
        ...unexpected.slice(0, 1).map((reply) => `a request was answered ${replyExcerpt(reply)}`),
        ...(passed === limit || Number.isNaN(limit)
          ? []
          : [`${passed} requests were accepted, but the limit is ${limit}`]),
        ...(otherRoute.status === 200 ? [] : [`another route answered ${otherRoute.status}`]),
      ],
      `${passed} of ${replies.length} concurrent requests accepted, then 429 with Retry-After ${first.headers["retry-after"]}`,
    );
  },
};
