/** Kinds of events that the service publishes: their `detail-type`. A test compares them with the contract's. */
export const eventKinds = [
  "run.completed",
  "run.failed",
  "run.waiting",
  "judge.unavailable",
  "spend.threshold_reached",
  "monitor.fired",
  "monitor.skipped",
  "monitor.failed",
  "score.below_threshold",
  "alert.raised",
  "alert.cleared",
  "invitation.created",
] as const;

/**
 * Kinds that a destination is sent only if its `kinds` names them: four happen as often as monitors fire or scores are made, and an
 * invitation has the address of the person whom a mailer tells. Others, and kinds that a later version adds, are sent by default.
 */
export const kindsOnRequest = [
  "run.completed",
  "score.below_threshold",
  "monitor.fired",
  "monitor.skipped",
  "invitation.created",
] as const satisfies readonly (typeof eventKinds)[number][];
