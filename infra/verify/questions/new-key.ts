import { listTraceMetrics } from "../../../lib/contract/metrics/trace-metrics.ts";
import { saying, type Reply } from "../client/exchange.ts";
import { inSeconds } from "../figures.ts";
import { findProject } from "../project/find-project.ts";
import { fails, judged, notAsked, type Question, type Scene } from "../question.ts";
import { until } from "../until.ts";

/** A revoked key is refused everywhere within this time. */
const revocationSeconds = 30;

/** So many refusals in a row and no place is left that still knows the key. */
const refusalsInARow = 5;

/** Calls with a key again and again. @returns when the last call that was let through began, seconds from now. */
const lastAccepted = async ({ wait, patience }: Scene, call: () => Promise<Reply>): Promise<number> => {
  const begun = performance.now();
  let [last, refusals] = [0, 0];
  while (refusals < refusalsInARow) {
    const at = (performance.now() - begun) / 1000;
    if (at > 2 * revocationSeconds) return at;
    const { status } = await call();
    if (status === 401) refusals += 1;
    else [last, refusals] = [at, 0];
    // The first refusal is looked at closely: what another place says counts too.
    if (refusals === 0) await wait(patience.look);
  }
  return last;
};

export const newKey: Question = {
  title: "A new key works at once and goes on to, and a revoked one is refused within 30 s",
  ask: async (scene) => {
    const { user, patience, projectName } = scene;
    if (user === null) return notAsked("no --token was given");
    const project = await findProject(user, projectName);
    if (project === null) return notAsked("the token's user is not in the key's organization");
    const params = { org_id: project.org_id };
    const { id, raw_key: key } = await user.client.createApiKey({ path: params, body: { name: projectName } });
    const caller = scene.callerWithKey(key ?? "");
    const call = (): Promise<Reply> => caller.call(listTraceMetrics);
    const accepted = await until(scene, patience.newKey, call, ({ status }) => status === 200);
    if (!accepted.isSo) return fails(`after ${inSeconds(accepted.seconds)} it was answered ${saying(accepted.found)}`);
    const refused: Reply[] = [];
    let calls = 0;
    const used = await until(
      scene,
      patience.newKey,
      async () => {
        const reply = await call();
        calls += 1;
        if (reply.status !== 200) refused.push(reply);
        return reply;
      },
      () => false,
    );
    await user.client.deleteApiKey({ path: { ...params, key_id: id } });
    const last = await lastAccepted(scene, call);
    const [first] = refused;
    return judged(
      [
        ...(first === undefined
          ? []
          : [`${refused.length} of ${calls} later calls were refused, first with ${saying(first)}`]),
        ...(last <= revocationSeconds ? [] : [`it was let in ${inSeconds(last)} after it was revoked`]),
      ],
      `accepted after ${inSeconds(accepted.seconds)}, then ${calls} of ${calls} calls in ${inSeconds(used.seconds)}; ` +
        `revoked, let in for ${inSeconds(last)} more`,
    );
  },
};
