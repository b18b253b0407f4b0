/** What no caller of the interface can find out, for the end of a report. */
export const neverAsked = `Not asked, because the interface cannot show it:
  with AWS credentials   that tables are kept (retain) and protected from deletion when a stack is replaced or destroyed;
                         a restore, and the import of restored tables (infra/restore.md); alarms and their mails
  with a fault           the texts of the gateway's own 5xx (a broken authorizer, an integration's time-out), the Scheduler's
                         refusals, workers that die
  with a provider        its own error bodies and rate limits, and what a real model makes of the prompts`;
