import { randomUUID } from "node:crypto";
import { listTraceMetrics } from "../../../lib/contract/metrics/metric-lists.ts";
import { triggerMonitor } from "../../../lib/contract/monitors/monitors.ts";
import { replyExcerpt, type Reply } from "../client/exchange.ts";
import { refusalProblems, throttled } from "../refusals.ts";
import { fail, passUnless, type Check, type CheckContext, type CheckResult } from "../check.ts";

/** Concurrent requests per batch: more than the default rate limit, fewer than the burst of the usage plan. */
const burstSize = 15;

/** Requests in a minute without a refusal after which a limit that is not above them does not exist. */
const maxRequests = 300;

/** Sends a rate-limited request that costs nothing, because the monitor does not exist. A connection that waited may have been closed. */
const trigger = ({ impatient }: CheckContext): Promise<Reply> =>
  impatient.call(triggerMonitor, { params: { monitor_id: randomUUID() }, hasOwnConnection: true });

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

/** Returns the client's quota, remaining requests and seconds left of a minute, by a reply's headers; NaN without them. */
const countOf = ({ headers }: Reply) => {
  const partOf = (name: string, pattern: RegExp): number => Number(pattern.exec(String(headers[name]))?.[1]);
  return {
    quota: partOf("ratelimit-policy", /"client";q=(\d+);w=60/u),
    remaining: partOf("ratelimit", /"client";r=(\d+)/u),
    seconds: partOf("ratelimit", /"client";r=\d+;t=(\d+)/u),
  };
};

/** Checks a limit that is too high to be used up, because `limitFactor` raises it: each request has to be counted. */
const countsEach = async (context: CheckContext, firstReplies: readonly Reply[]): Promise<CheckResult> => {
  const [first] = firstReplies;
  const { quota, seconds } = first === undefined ? { quota: 0, seconds: 0 } : countOf(first);
  if (!(quota > maxRequests)) return fail(`${firstReplies.length} requests within a minute were accepted`);
  const numbersIn = (replies: readonly Reply[]): number =>
    new Set(replies.map((reply) => countOf(reply).remaining)).size;
  let replies = firstReplies;
  if (numbersIn(replies) < replies.length) {
    // A minute that ends meanwhile begins the count anew.
    await context.wait(seconds * 1000);
    replies = await callUntilRefused(context);
  }
  const numbers = numbersIn(replies);
  return passUnless(
    numbers === replies.length ? [] : [`${replies.length} requests left ${numbers} different numbers of requests`],
    `${replies.length} concurrent requests were counted one by one; the limit, ${quota} per minute, is too high to be reached here`,
  );
};

/** True for a refusal by the service's own counter; others are of the gateway's usage plan, whose burst is below the batch where limits are low. */
const isByLimit = ({ text }: Reply): boolean => text.includes("Rate limit exceeded");

const hasLimitAndTime = (reply: Reply): boolean =>
  /^[1-9]\d?$/u.test(String(reply.headers["retry-after"])) &&
  retryAfterSeconds(reply) <= 60 &&
  !Number.isNaN(limitOf(reply));

const isWellFormed = (reply: Reply): boolean =>
  !isByLimit(reply) && reply.headers["retry-after"] !== undefined
    ? refusalProblems("", reply, throttled).length === 0
    : hasLimitAndTime(reply);

export const rateLimit: Check = {
  title: "A rate limit refuses with 429 and Retry-After at exactly its limit, and other routes are not affected",
  run: async (context) => {
    let replies = await callUntilRefused(context);
    let { passed, refusals } = countReplies(replies);
    let first = refusals.find(isByLimit) ?? refusals[0];
    if (first === undefined) return countsEach(context, replies);
    const byPlan = refusals.filter((reply) => !isByLimit(reply));
    if (byPlan.length === 0 && isWellFormed(first) && passed !== limitOf(first)) {
      // Earlier requests had already used part of this minute: the limit can only be counted in a new minute.
      await context.wait(Math.max(...refusals.map(retryAfterSeconds)) * 1000);
      replies = await callUntilRefused(context);
      ({ passed, refusals } = countReplies(replies));
      first = refusals[0] ?? first;
    }
    const limit = limitOf(first);
    // What the usage plan refuses does not reach the counter.
    const isCounted = byPlan.length === 0 ? passed === limit : passed <= limit;
    const unexpected = replies.filter(({ status }) => status !== 404 && status !== 429);
    const otherRoute = await context.project.call(listTraceMetrics);
    return passUnless(
      [
        ...refusals
          .filter((reply) => !isWellFormed(reply))
          .slice(0, 1)
          .map((reply) => `a refusal is ${replyExcerpt(reply)} with Retry-After ${reply.headers["retry-after"]}`),
        ...unexpected.slice(0, 1).map((reply) => `a request was answered ${replyExcerpt(reply)}`),
        ...(isCounted || Number.isNaN(limit) ? [] : [`${passed} requests were accepted, but the limit is ${limit}`]),
        ...(otherRoute.status === 200 ? [] : [`another route answered ${otherRoute.status}`]),
      ],
      `${passed} of ${replies.length} concurrent requests accepted, ${byPlan.length} refused by the usage plan, then 429 with Retry-After ${first.headers["retry-after"]}`,
    );
  },
};
