import { exchange } from "./caller.ts";
import { headersOf, type Place } from "./people.ts";
import type { RecordedReply } from "./recorded-reply.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- replies are looked into as they come.
type Body = any;

const day = 86_400_000;
const all = "limit=200";

/** Maximum number of recorded traces and scores per list, as further ones are alike. */
const few = 24;

/** Sends all possible reads and records the replies. */
export const recordReplies = async (place: Place): Promise<readonly RecordedReply[]> => {
  const replies: RecordedReply[] = [];
  const [from, to] = [-120, 1].map((days) => new Date(place.now() + days * day).toISOString());
  const started = `started_after=${from}&started_before=${to}`;
  const dated = `date_from=${from}&date_to=${to}`;

  const asker =
    (as: string, project?: string) =>
    async (path: string): Promise<Body> => {
      const request = { as, path, ...(project !== undefined && { project }) };
      const { status, body } = await exchange(place.stack.baseUrl, {
        method: "GET",
        path,
        headers: await headersOf(place, request),
      });
      if (status !== 200) throw new Error(`${as} ${path}: ${status} ${JSON.stringify(body)}`);
      replies.push({ ...request, status, body });
      return body;
    };

  const recordScores = async (ask: (path: string) => Promise<Body>, kind: "trace" | "session"): Promise<void> => {
    const list = `/evaluations/${kind}-scores`;
    const { items } = await ask(`${list}?${all}`);
    const names = new Set<string>(items.map(({ name }: Body) => encodeURIComponent(name)));
    const targets = new Set<string>(items.map((score: Body) => score[`${kind}_id`]));
    for (const target of [...targets].slice(0, few / 3)) await ask(`${list}/${target}`);
    const analytics = `/evaluations/analytics/${kind}-scores`;
    await ask(`${analytics}/summary?${dated}`);
    for (const name of names) {
      await ask(`${analytics}/trend?metric_name=${name}&granularity=day&${dated}`);
      await ask(`${analytics}/distribution?metric_name=${name}&${dated}`);
    }
    if (kind === "trace") return;
    for (const name of names) await ask(`${analytics}/comparison?metric_name=${name}`);
    for (const session of new Set<string>(items.map(({ session_id }: Body) => session_id)))
      await ask(`${analytics}/history/${session}?metric_name=solved`);
  };

  const recordRuns = async (ask: (path: string) => Promise<Body>, kind: "trace" | "session"): Promise<void> => {
    const list = `/evaluations/${kind}-runs`;
    const { items } = await ask(`${list}?${all}`);
    for (const { id } of items) {
      await ask(`${list}/${id}`);
      await ask(`${list}/${id}/targets?${all}`);
      await ask(`${list}/${id}/scores`);
    }
  };

  const recordProject = async (ask: (path: string) => Promise<Body>): Promise<void> => {
    const { items: traces } = await ask(`/traces?${all}`);
    await ask(`/traces/users?${all}`);
    for (const { trace_id } of traces.slice(0, traces.length > 2 * few ? 1 : few)) await ask(`/traces/${trace_id}`);
    for (const metric of ["volume", "latency", "tokens", "models"])
      await ask(`/traces/analytics?metric=${metric}&granularity=day&${started}`);
    const { items: sessions } = await ask(`/sessions?${all}`);
    for (const { session_id } of sessions) await ask(`/sessions/${session_id}`);
    await ask(`/sessions/analytics?granularity=day&${started}`);
    for (const kind of ["trace", "session"] as const) {
      await recordRuns(ask, kind);
      await recordScores(ask, kind);
    }
    const { items: monitors } = await ask(`/evaluations/monitors?${all}`);
    for (const { id } of monitors)
      for (const part of ["", `/runs?${all}`, `/firings?${all}`]) await ask(`/evaluations/monitors/${id}${part}`);
  };

  /** Records lists with each filter and order. */
  const recordChoices = async (ask: (path: string) => Promise<Body>): Promise<void> => {
    for (const query of [
      "status=ERROR",
      "tags=late&tags=moved",
      "session_id=chat-8",
      "sort_by=latency&sort_order=asc",
      `name=WHOLE&${started}`,
    ])
      await ask(`/traces?${query}`);
    await ask("/sessions?has_error=true&sort_by=cost");
    await ask("/evaluations/trace-runs?status=PENDING");
    for (const filter of [
      "source=AUTOMATED",
      "status=FAILED",
      "data_type=BOOLEAN",
      "source=ANNOTATION&limit=2&offset=1",
    ])
      await ask(`/evaluations/trace-scores?${filter}`);
  };

  const recordPerson = async (as: string): Promise<void> => {
    const ask = asker(as);
    for (const path of ["/me", "/me/invitations", "/me/deletions", "/organizations"]) await ask(path);
  };

  const recordOrganization = async (ask: (path: string) => Promise<Body>, id: string): Promise<readonly Body[]> => {
    await ask(`/organizations/${id}`);
    for (const list of ["members", "invitations", "api-keys", "audit-events", "deletions"])
      await ask(`/organizations/${id}/${list}?${all}`);
    return (await ask(`/organizations/${id}/projects?${all}`)).items;
  };

  const projects = await recordOrganization(asker("owner"), place.stack.credentials.organizationId);
  for (const { name } of projects) await recordProject(asker("key", name));
  await recordChoices(asker("key", place.stack.credentials.projectName));
  for (const name of ["owner", "mia", "rob", "ned", "ola", "quinn"]) await recordPerson(name);
  return replies;
};
