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
