import { userIdOf } from "../../domain/access/principal.ts";
import { instantAt } from "../../domain/instant.ts";
import { invalid, notFound } from "../../domain/refusal.ts";
import type { MaskingRules } from "../../domain/masking/rules.ts";
import { replaceScore } from "../../domain/scores/edit.ts";
import { importedScoreIds, sentScoreFlaw, type UnparsedItem } from "../../domain/scores/imported-score.ts";
import { maskScore } from "../../domain/scores/mask.ts";
import type { TraceScore } from "../../domain/scores/score.ts";
import { normalizeValue } from "../../domain/scores/value.ts";
import type { Database } from "../../dynamo/database.ts";
import type { Exchange, TelemetryCaller } from "../../http/exchange.ts";
import { feedbackChange, inSentWords, langsmithFeedbackSource } from "../../langsmith/feedback-score.ts";
import { scoreChanges } from "../../store/scores/changes.ts";
import { traceScoreKind } from "../../store/scores/kind.ts";
import { scoreReader } from "../../store/scores/reader.ts";
import { projectIdsOf } from "./item-projects.ts";

type UpdateRequest = TelemetryCaller & Pick<Exchange, "warn">;

/** Returns a function that changes a feedback. @throws Refusal `invalid` for a bad field, `not-found` without the feedback. */
export const feedbackUpdater = (database: Database) => {
  const scores = scoreChanges(database, traceScoreKind);
  const { existing } = scoreReader(database, traceScoreKind);

  return async (id: string, body: UnparsedItem, request: UpdateRequest): Promise<void> => {
    const change = feedbackChange(body);
    if ("field" in change) throw invalid(["body", change.field], change.message, change.type);
    const { notes, ...sentChange } = change;

    const changedIn =
      (masking: MaskingRules) =>
      (score: TraceScore): TraceScore => {
        if (score.eval_run_id !== null) throw notFound(`Feedback ${id} not found.`);
        const { metadata: addedMetadata, ...fields } = maskScore(
          masking,
          sentChange,
          change.data_type ?? score.data_type,
        );
        const sent = { ...score, ...fields, metadata: { ...score.metadata, ...addedMetadata } };
        const value = sent.value ?? "";
        const flaw = sentScoreFlaw({ ...sent, value });
        if (flaw !== null) throw invalid(["body", inSentWords(flaw, body).field], flaw.message);
        return replaceScore(score, {
          ...sent,
          value: normalizeValue(sent.data_type, value),
          source: request.principal.kind === "key" ? "PROGRAMMATIC" : score.source,
          author_user_id: userIdOf(request.principal),
          updated_at: instantAt(Date.now()),
        });
      };

    const places = (await projectIdsOf(database, request)).flatMap((project) => {
      const { present, earlier } = importedScoreIds(project, langsmithFeedbackSource.idSpace, id);
      return [[project, present] as const, [project, earlier] as const];
    });
    const [place] = await existing(places);
    const missing = notFound(`Feedback ${id} not found.`);
    if (place === undefined) throw missing;
    const { masking } = await request.projectFor({ kind: "id", id: place[0] });
    if ((await scores.edit(...place, changedIn(masking))) === null) throw missing;
    for (const sentence of notes) request.warn(sentence);
  };
};
