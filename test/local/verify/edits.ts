import type { Change, Passing, PassingReply } from "../../support/service/breaking-proxy.ts";

type Edit = (reply: PassingReply) => PassingReply;

/** Breaks the replies to some requests. */
export const where =
  (chosen: (request: Passing, reply: PassingReply) => boolean, edit: Edit): (() => Change) =>
  () =>
  (request, reply) =>
    chosen(request, reply) ? edit(reply) : reply;

export const at =
  (method: string, path: RegExp) =>
  (request: Passing): boolean =>
    request.method === method && path.test(request.path);

export const status =
  (wanted: number) =>
  (_request: Passing, reply: PassingReply): boolean =>
    reply.status === wanted;

export const withText = (reply: PassingReply, text: string): PassingReply => ({ ...reply, body: Buffer.from(text) });

export const replaced =
  (from: string | RegExp, to: string): Edit =>
  (reply) =>
    withText(reply, reply.body.toString().replace(from, to));

export const without =
  (name: string): Edit =>
  (reply) => ({ ...reply, headers: { ...reply.headers, [name]: undefined } });

export const json =
  <Body = Record<string, unknown>>(change: (body: Body) => unknown): Edit =>
  (reply) =>
    withText(reply, JSON.stringify(change(JSON.parse(reply.body.toString()) as Body)));

/** A list whose first element lies in it twice, and one that has lost it. */
export const doubled = json<readonly unknown[]>((list) => [...list, list[0]]);
export const shortened = json<readonly unknown[]>((list) => list.slice(1));

export const answering =
  (wanted: number, detail: string): Edit =>
  (reply) => ({ ...withText(reply, JSON.stringify({ detail })), status: wanted });

/** A monitor's firings as a list answers them. */
const firing = (minute: number) => {
  const instant = `2026-11-22T09:0${minute}:00.000000+00:00`;
  return { scheduled_at: instant, fired_at: instant, outcome: "RUN", run_id: null, reason: null };
};

/** Shows one firing, and others once the monitor is paused. */
export const firings =
  (after: readonly number[]): (() => Change) =>
  () => {
    let shown = 0;
    return (request, reply) => {
      if (!at("GET", /\/firings$/u)(request)) return reply;
      shown += 1;
      // The first look sees that it fired, the second what is known when it is paused.
      const items = (shown <= 2 ? [1] : after).map(firing);
      return json((body) => ({ ...body, items, total: items.length }))(reply);
    };
  };

/** The gateway does not know a new key for a while; once it is revoked it is refused at once. */
export const unknownKey = (): Change => {
  // The first call is the tenant's own, the second the one that sees the new key accepted.
  let [calls, revoked] = [0, false];
  return (request, reply) => {
    if (at("DELETE", /\/api-keys\//u)(request)) revoked = true;
    if (!at("GET", /\/trace-metrics$/u)(request) || reply.status !== 200) return reply;
    calls += 1;
    if (revoked) return answering(401, "Invalid or revoked API key.")(reply);
    return calls === 3 ? answering(403, "This client is not known to the gateway yet. Try again.")(reply) : reply;
  };
};
