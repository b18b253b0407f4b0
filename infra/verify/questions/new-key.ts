import { listTraceMetrics } from "../../../lib/contract/metrics/metric-lists.ts";
import { replyExcerpt, type Reply } from "../client/exchange.ts";
import { inSeconds } from "../figures.ts";
import { findProject } from "../project/find-project.ts";
import { fail, passUnless, skip, type Check, type CheckContext } from "../check.ts";
import { pollUntil } from "../poll-until.ts";

/** Maximum time until all servers refuse a revoked key. */
const revocationSeconds = 30;

/** Refusals in a row after which no server is expected to accept the key from its cache. */
const refusalsInARow = 5;

/** Repeats a call with a revoked key until it is refused. @returns seconds until the start of the last accepted call */
const lastAccepted = async ({ wait, timeouts }: CheckContext, call: () => Promise<Reply>): Promise<number> => {
  const startedAt = performance.now();
  let [last, refusals] = [0, 0];
  while (refusals < refusalsInARow) {
    const at = (performance.now() - startedAt) / 1000;
    if (at > 2 * revocationSeconds) return at;
    const { status } = await call();
    if (status === 401) refusals += 1;
    else [last, refusals] = [at, 0];
    // After a first refusal there is no pause: other servers may still accept the key.
    if (refusals === 0) await wait(timeouts.pollInterval);
  }
  return last;
};

export const newKey: Check = {
  title: "A new key works at once and continuously, and a revoked key is refused within 30 s",
  run: async (context) => {
    const { user, timeouts, projectName } = context;
    if (user === null) return skip("no --token is set");
    const project = await findProject(user, projectName);
    if (project === null) return skip("the token's user is not in the key's organization");
    const params = { org_id: project.org_id };
    const { id, raw_key: key } = await user.client.createApiKey({ path: params, body: { name: projectName } });
    const caller = context.callerWithKey(key ?? "");
    const call = (): Promise<Reply> => caller.call(listTraceMetrics);
    const accepted = await pollUntil(context, timeouts.newKey, call, ({ status }) => status === 200);
    if (!accepted.isSatisfied)
      return fail(`after ${inSeconds(accepted.seconds)} the reply was ${replyExcerpt(accepted.value)}`);
    const refusals: Reply[] = [];
    let calls = 0;
    const period = await pollUntil(
      context,
      timeouts.newKey,
      async () => {
        const reply = await call();
        calls += 1;
        if (reply.status !== 200) refusals.push(reply);
        return reply;
      },
      () => false,
    );
    await user.client.deleteApiKey({ path: { ...params, key_id: id } });
    const last = await lastAccepted(context, call);
    const [first] = refusals;
    return passUnless(
      [
        ...(first === undefined
          ? []
          : [`${refusals.length} of ${calls} later calls were refused, first with ${replyExcerpt(first)}`]),
        ...(last <= revocationSeconds ? [] : [`it was accepted for ${inSeconds(last)} after the revocation`]),
      ],
      `accepted after ${inSeconds(accepted.seconds)}, then ${calls} of ${calls} calls in ${inSeconds(period.seconds)}; ` +
        `after the revocation accepted for ${inSeconds(last)}`,
    );
  },
};
