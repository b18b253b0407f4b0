/** Text at the end of a report about behaviour that cannot be checked through the API. */
export const notCovered = `Not checked, because the API does not show it:
  with AWS credentials   tables are retained and protected from deletion when a stack is replaced or destroyed; backup restore and
                         the import of restored tables (infra/restore.md); e-mails of alarms
  with injected faults   the gateway's own 5xx texts (broken authorizer, integration timeout), refusals of the Scheduler, crashes of
                         workers
  with a real provider   its error bodies and rate limits, and the answers of a real model to the prompts`;
