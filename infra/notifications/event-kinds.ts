import { eventSchemas } from "../../lib/contract/events/registry.ts";
import type { EventKind } from "../../lib/contract/events/registry.ts";

/** Kinds of events that the service publishes: their `detail-type`. */
export const eventKinds = Object.keys(eventSchemas);

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
] as const satisfies readonly EventKind[];
