import type { IdempotencyCheck } from "../../domain/idempotency-check.ts";
import { userIdOf } from "../../domain/access/principal.ts";
import { instantAt } from "../../domain/instant.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { Score } from "../../domain/scores/score.ts";
import { submittedScore, type SubmittedScore } from "../../domain/scores/submitted-score.ts";
import type { Database } from "../../dynamo/database.ts";
import type { Caller, Idempotency } from "../../http/exchange.ts";
import type { ScoreKind } from "../../store/scores/kind.ts";
import { DifferentScore, ifNew, OtherScore, scoreChanges } from "../../store/scores/changes.ts";
import { stalenessReader, withStaleness, type WithStaleness } from "../../store/scores/stale/with-staleness.ts";

/** Functions that differ between scores of traces and scores of sessions. */
interface ScoreRequests<Body, S> {
  /** Stores a new score. @throws Refusal if its target does not exist. */
  readonly create: (score: Score, body: Body, check: IdempotencyCheck) => Promise<S>;
  readonly isOfTarget: (stored: S, body: Body) => boolean;
}

type Request<Body> = Caller & { readonly body: Body };

/** Returns the handlers that store the score of a request: under an id of the service, or under one that the client chose. */
export const scoreStorage = <Body extends SubmittedScore, S extends Score>(
  database: Database,
  kind: ScoreKind<S>,
  { create, isOfTarget }: ScoreRequests<Body, S>,
) => {
  const { replace } = scoreChanges(database, kind);
  const staleness = stalenessReader(database, kind);

  const sentScore = ({ body, project, principal }: Request<Body>, id: string): Score =>
    submittedScore(body, {
      id,
      project,
      author: userIdOf(principal),
      at: instantAt(Date.now()),
    });

  const answer = async (score: S): Promise<WithStaleness<S>> =>
    withStaleness(score, await staleness.one(score.project_id, score));

  const replacement = async (sent: Score, body: Body): Promise<S> => {
    try {
      return await replace(sent, (stored) => isOfTarget(stored, body));
    } catch (error) {
      if (!(error instanceof OtherScore)) throw error;
      const detail = `The id is that of a score of another ${kind.target}, span or name, or of an evaluation.`;
      throw new Refusal({ kind: "conflict", detail });
    }
  };

  return {
    create: async (request: Request<Body> & Pick<Idempotency, "idFor" | "idempotency">) =>
      answer(await create(sentScore(request, request.idFor("score")), request.body, request.idempotency)),

    put: async ({ params, ...request }: Request<Body> & { readonly params: { readonly score_id: string } }) => {
      const { body } = request;
      const sent = sentScore(request, params.score_id);
      try {
        return await answer(await create(sent, body, ifNew));
      } catch (error) {
        if (!(error instanceof DifferentScore)) throw error;
        return answer(await replacement(sent, body));
      }
    },
  };
};
