import * as v from "valibot";
import type { IdempotencyCheck } from "../../domain/idempotency-check.ts";
import { Refusal } from "../../domain/refusal.ts";
import { replaceScore } from "../../domain/scores/edit.ts";
import type { Score } from "../../domain/scores/score.ts";
import { withRetries, throwUnavailable } from "../../dynamo/with-retries.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf, type Write } from "../../dynamo/items.ts";
import { requestRetryPolicy } from "../../dynamo/retry-policies.ts";
import type { ScoreKind } from "./kind.ts";
import { isLive } from "../../dynamo/is-live.ts";

const storedItem = v.object({
  d: v.instance(Uint8Array),
  i: v.optional(v.string()),
  ttl: v.optional(v.number()),
  bh: v.optional(v.string()),
});

/** Error of a score whose id exists with other content. */
export class DifferentScore extends Error {
  override readonly name = "DifferentScore";
}

/** Error of a score whose id is that of another target or name, or of a score of an evaluation. */
export class OtherScore extends Error {
  override readonly name = "OtherScore";
}

/** Check of a score to be created that is to replace the one with its id. @throws DifferentScore for any existing score. */
export const ifNew: IdempotencyCheck = {
  bodyHash: null,
  checkReplay: () => {
    throw new DifferentScore("A score with this id exists.");
  },
};

/** Edits, replaces and deletes single scores; a score and its copy change in one transaction. */
export const scoreChanges = <S extends Score>(database: Database, kind: ScoreKind<S>, now: () => number = Date.now) => {
  const scores = itemsOf(database, "scores");

  const read = async (project: string, id: string) => {
    const item = await scores.get(kind.key(project, id));
    if (item === undefined || !isLive(item, now())) return null;
    const { d, i = null, ttl = null, bh = null } = v.parse(storedItem, item);
    return { d, score: kind.unpack(d), lifetime: { incarnation: i, expiresAt: ttl, bodyHash: bh } };
  };

  type CurrentScore = NonNullable<Awaited<ReturnType<typeof read>>>;
  type Writes = (current: CurrentScore) => readonly Write[];

  /**
   * Applies a change, and retries while other writers change the score.
   *
   * @returns the score before the change; null when it does not exist.
   */
  const change = (project: string, id: string, writes: Writes): Promise<S | null> =>
    withRetries(
      requestRetryPolicy,
      throwUnavailable("The score is being changed by many requests. Try again."),
      async () => {
        const current = await read(project, id);
        if (current === null) return null;
        await scores.transact(writes(current));
        return current.score;
      },
    );

  const ifUnchanged = (d: Uint8Array) => ({ when: "d = :d", values: { ":d": d } });

  /**
   * Replaces a score by the result of `edited`.
   *
   * @param bodyHash hash of the body that the score has from now on; the stored one if absent.
   * @returns the changed score; null when it does not exist.
   */
  const edit = async (project: string, id: string, edited: (score: S) => S, bodyHash?: string): Promise<S | null> => {
    let result: S | null = null;
    const before = await change(project, id, ({ d, score, lifetime }) => {
      result = edited(score);
      const [item, copy] = kind.items(result, { ...lifetime, bodyHash: bodyHash ?? lifetime.bodyHash });
      return [
        { put: item, ...ifUnchanged(d) },
        { put: copy, when: "attribute_exists(pk)" },
      ];
    });
    return before === null ? null : result;
  };

  return {
    edit,

    /**
     * Replaces a score by one that is sent with its id.
     *
     * @param isOfTarget true if the stored score is about what the sent one is about.
     * @returns the score as it is stored now.
     * @throws OtherScore for a score of another target or name, or of an evaluation; Refusal `unavailable` while the score is being deleted.
     */
    replace: async (sent: Score, isOfTarget: (stored: S) => boolean, bodyHash?: string): Promise<S> => {
      const replaced = await edit(
        sent.project_id,
        sent.id,
        (stored) => {
          if (!isOfTarget(stored) || stored.name !== sent.name || stored.eval_run_id !== null)
            throw new OtherScore("The id is that of another score.");
          return replaceScore(stored, sent);
        },
        bodyHash,
      );
      if (replaced === null)
        throw new Refusal({ kind: "unavailable", detail: "The score is being deleted. Try again." });
      return replaced;
    },

    /** Deletes a score. @returns false when it does not exist. */
    remove: async (project: string, id: string): Promise<boolean> => {
      const before = await change(project, id, ({ d, score, lifetime }) => {
        const [{ pk, sk }, copy] = kind.items(score, lifetime);
        return [{ remove: { pk, sk }, ...ifUnchanged(d) }, { remove: { pk: copy.pk, sk: copy.sk } }];
      });
      return before !== null;
    },
  };
};
