import { randomUUID } from "node:crypto";
import { listTraceMetrics } from "../../../lib/contract/metrics/trace-metrics.ts";
import { triggerMonitor } from "../../../lib/contract/monitors/monitors.ts";
import { saying } from "../client/exchange.ts";
import type { Reply } from "../client/exchange.ts";
import { fails, judged, type Question, type Scene } from "../question.ts";

/** Requests at once: some more than the contract's limit, and fewer than the usage plan lets through at once. */
const atOnce = 15;

/** A deployment with a large `limitFactor` lets more pass; where none is refused after so many there is no limit. */
const mostRequests = 300;

/** What costs nothing: the monitor does not exist. */
const trigger = ({ project }: Scene): Promise<Reply> =>
  project.call(triggerMonitor, { params: { monitor_id: randomUUID() } });

const waitOf = ({ headers }: Reply): number => Number(headers["retry-after"] ?? Number.NaN);

/** Asks until some are refused. */
const fill = async (scene: Scene): Promise<readonly Reply[]> => {
  const replies: Reply[] = [];
  while (replies.length < mostRequests && !replies.some(({ status }) => status === 429))
    replies.push(...(await Promise.all(Array.from({ length: atOnce }, () => trigger(scene)))));
  return replies;
};

const split = (replies: readonly Reply[]) => ({
  passed: replies.filter(({ status }) => status === 404).length,
  refused: replies.filter(({ status }) => status === 429),
});

const limitOf = ({ text }: Reply): number => Number(/Rate limit exceeded: (\d+) per minute\./u.exec(text)?.[1]);

const wellFormed = (reply: Reply): boolean =>
  /^[1-9]\d?$/u.test(String(reply.headers["retry-after"])) && waitOf(reply) <= 60 && !Number.isNaN(limitOf(reply));

export const rateLimit: Question = {
  title: "A rate limit refuses with 429 and Retry-After at exactly its limit, and other routes go on",
  ask: async (scene) => {
    let replies = await fill(scene);
    let { passed, refused } = split(replies);
    let [first] = refused;
    if (first === undefined) return fails(`${replies.length} requests within a minute were let through`);
    if (wellFormed(first) && passed !== limitOf(first)) {
      // Somebody had opened the minute before: only a fresh one can be counted.
      await scene.wait(Math.max(...refused.map(waitOf)) * 1000);
      replies = await fill(scene);
      ({ passed, refused } = split(replies));
      first = refused[0] ?? first;
    }
    const limit = limitOf(first);
    const odd = replies.filter(({ status }) => status !== 404 && status !== 429);
    const other = await scene.project.call(listTraceMetrics);
    return judged(
      [
        ...refused
          .filter((reply) => !wellFormed(reply))
          .slice(0, 1)
          .map((reply) => `a refusal is ${saying(reply)} with Retry-After ${reply.headers["retry-after"]}`),
        ...odd.slice(0, 1).map((reply) => `a request was answered ${saying(reply)}`),
        ...(passed === limit || Number.isNaN(limit) ? [] : [`${passed} were let through where the limit is ${limit}`]),
        ...(other.status === 200 ? [] : [`another route answered ${other.status}`]),
      ],
      `${passed} of ${replies.length} at once let through, then 429 with Retry-After ${first.headers["retry-after"]}`,
    );
  },
};
