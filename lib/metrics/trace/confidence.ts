import { array, description, object, pipe, string } from "valibot";
import { defineMetric } from "../../judge/metric.ts";
import { traceCatalogue } from "./catalogue.ts";
import { scale5 } from "./scale5.ts";

const scale = scale5(
  ["assured", "every step is purposeful and fits what was known, without hesitation or contradiction"],
  ["mostly_assured", "a small hesitation or one needless step"],
  ["mixed", "clear signs of both"],
  ["hesitant", "hedging, repetition or changes of course mark most of it"],
  ["erratic", "it contradicts itself, wanders or repeats itself, and no strategy shows"],
);

const question = `Question: did the agent act decisively and appropriately?

Judge how the agent went about it, not whether it succeeded in the end. Signs of low confidence: hedging where the facts were at hand; contradicting itself; the same call with the same parameters again; retries without need; a strategy begun and dropped without a cause; vague answers. Asking back or stating a doubt is right where something is really unknown; certainty without a ground is not confidence but a fault.

Fill the fields in this order.
- evidence: up to five short quotations or span numbers on which your judgement rests, the ones against it included.
- reason: in two to four sentences, where the agent was sure of its way and where it was not.
- verdict: one of
${scale.explained}`;

/** Whether the agent knew what it was doing: one call. */
export const confidence = defineMetric({
  name: "confidence",
  ...traceCatalogue.confidence,
  question,
  answer: object({
    evidence: pipe(array(string()), description("Up to five quotations or span numbers.")),
    reason: pipe(string(), description("Why this verdict, two to four sentences.")),
    verdict: scale.verdict,
  }),
  score: ({ evidence, reason, verdict }) => ({ value: scale.value(verdict), reason, details: { evidence } }),
});
