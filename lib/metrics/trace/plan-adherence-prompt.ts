/** The question of plan_adherence. */
export const planAdherenceQuestion = `Question: did the execution follow the plan in the notes?

Hold the steps of the record against the plan: every step done, in order, completely, and nothing added. Whether the plan was good is not asked. A departure that the record makes necessary (a failure, a new wish of the user) counts little.

Fill the fields in this order.
- evidence: up to five short quotations or span numbers, those of steps that were left out or added included.
- reason: in two to four sentences, which steps of the plan were done, and which were left out, changed or added.
- verdict: one of
  "followed": every step was done, in order, and nothing was added;
  "mostly_followed": a small departure in order, completeness or extras;
  "partly_followed": a substantial part was done as planned and a substantial part was not;
  "barely_followed": only the beginning or a marginal part was done as planned;
  "ignored": what was done has nothing to do with the plan.`;
