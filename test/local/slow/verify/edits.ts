import type { Change, Passing, PassingReply } from "../../../support/service/breaking-proxy.ts";

type Edit = (reply: PassingReply) => PassingReply;

/** Changes the replies to some requests. */
export const where =
  (matches: (request: Passing, reply: PassingReply) => boolean, edit: Edit): (() => Change) =>
  () =>
  (request, reply) =>
    matches(request, reply) ? edit(reply) : reply;

export const at =
  (method: string, path: RegExp) =>
  (request: Passing): boolean =>
    request.method === method && path.test(request.path);

export const status =
  (expectedStatus: number) =>
  (_request: Passing, reply: PassingReply): boolean =>
    reply.status === expectedStatus;

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

/** A list with its first element duplicated, or removed. */
export const doubled = json<readonly unknown[]>((list) => [...list, list[0]]);
export const shortened = json<readonly unknown[]>((list) => list.slice(1));

export const answering =
  (newStatus: number, detail: string): Edit =>
  (reply) => ({ ...withText(reply, JSON.stringify({ detail })), status: newStatus });

/** A firing of a monitor as an item of the list. */
const firing = (minute: number) => {
  const instant = `2026-11-22T09:0${minute}:00.000000+00:00`;
  return { scheduled_at: instant, fired_at: instant, outcome: "RUN", run_id: null, reason: null };
};

/** Returns one firing, and other firings once the monitor is paused. */
export const firings =
  (after: readonly number[]): (() => Change) =>
  () => {
    let readCount = 0;
    return (request, reply) => {
      if (!at("GET", /\/firings$/u)(request)) return reply;
      readCount += 1;
      // The first read sees the first firing, the second read the firings known at the pause.
      const items = (readCount <= 2 ? [1] : after).map(firing);
      return json((body) => ({ ...body, items, total: items.length }))(reply);
    };
  };

/** The gateway does not accept a new key for a while, and refuses it at once when it is revoked. */
export const unknownKey = (): Change => {
  // The first call is the tenant's own, the second one sees the new key accepted.
  let [calls, revoked] = [0, false];
  return (request, reply) => {
    if (at("DELETE", /\/api-keys\//u)(request)) revoked = true;
    if (!at("GET", /\/trace-metrics$/u)(request) || reply.status !== 200) return reply;
    calls += 1;
    if (revoked) return answering(401, "Invalid or revoked API key.")(reply);
    return calls === 3 ? answering(403, "This client is not known to the gateway yet. Try again.")(reply) : reply;
  };
};
