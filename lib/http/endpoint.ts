import type { Readable } from "node:stream";
// oxlint-disable-next-line import/no-named-as-default -- its types export the default only.
import middy from "@middy/core";
import { executionModeStandard } from "@middy/core/executionModeStandard";
import { executionModeStreamifyResponse } from "@middy/core/executionModeStreamifyResponse";
import jsonBodyParser from "@middy/http-json-body-parser";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import type { GenericSchema, InferOutput } from "valibot";
import type { Route } from "../contract/route.ts";
import { faultFields, logLine } from "../log.ts";
import { codingOf } from "./documents/compression.ts";
import { preconditionOf } from "./documents/entity-tag.ts";
import type { FixedText } from "./documents/fixed-text.ts";
import type { WithETag } from "./documents/with-etag.ts";
import { textPieces } from "./documents/text-pieces.ts";
import { DryRun, Report } from "./alternative-answers.ts";
import { crossOriginHeaders } from "./cross-origin.ts";
import { headerValues, requestIdOf } from "./event.ts";
import type { Caller, AccessGuard } from "./access-guard.ts";
import { JsonArray } from "./json-array.ts";
import { restoreGuarded } from "./json-text.ts";
import { parseRequest } from "./parse-request.ts";
import { nextLink, type Paging, pagingOf } from "./paging.ts";
import { listReply, type ReplyContext, getReply, textReply } from "./get-reply.ts";
import { rateHeaders } from "./limits/rate-state.ts";
import { projectHeaders } from "./caller-projects.ts";
import { refusalOf } from "./refusal-of.ts";
import { leaseMilliseconds, runOnce, ReplayedAnswer, type ReplayOptions } from "./replay.ts";
import { requestIds, replayHeaders, type RequestIds } from "./idempotency-key.ts";
import { type ReplyWriter, replyWriters } from "./reply-writer.ts";
import { faultReply, readHeaders, refusalReply, successHeaders, type Reply, mergeHeaders } from "./reply.ts";
import { errorOffset, prepareBody } from "./request-body.ts";
import { serviceUrlOf } from "./service-url.ts";
import { withReadMeter, type ReadMeter } from "../dynamo/read-meter.ts";
import type { OrganizationCaller } from "./organization-guard.ts";
import type { UserCaller } from "./user-guard.ts";
import type { WireFormat } from "./wire-format.ts";

type Parsed<Schema> = Schema extends GenericSchema ? InferOutput<Schema> : undefined;

/** Idempotency of a request: ids derived from its idempotency key, and stored answers to replay. Absent on public routes. */
interface IdempotentRequest extends RequestIds {
  readonly requestId: string;
  /** Runs `work` at most once per `Idempotency-Key` and replays its answer for 24 hours. Without a key it just runs `work`. */
  readonly runOnce: <Answer>(
    options: ReplayOptions<Answer>,
    work: () => Promise<Answer>,
  ) => Promise<Answer | ReplayedAnswer>;
}

/** Paging and ETag parts of a request with a verified caller. */
interface PagedRequest {
  /** Requested page of a list, with helpers that build the reply of the page. */
  readonly paging: Paging;
  /** True if the request lists ETags in `If-None-Match`. The handler then computes the ETag before the answer. */
  readonly hasIfNoneMatch: boolean;
}

/** Type of the verified caller of a route, by the route's `access`; an empty object on public routes. */
type CallerOf<R extends Route> = R["access"] extends "public"
  ? object
  : R["access"] extends "user"
    ? UserCaller
    : R["access"] extends "organization"
      ? OrganizationCaller
      : Caller;

/** Caller of any route, with every field optional. */
type AnyCaller = object & Partial<Caller & UserCaller & Pick<IdempotentRequest, "runOnce">>;

/** Additional field of requests to public routes. */
interface PublicRequest {
  /** Base URL of the service as the client addressed it: scheme, host and stage, without the route's path. */
  readonly serviceUrl: string;
}

/** Request that a handler receives: parameters, query and body parsed by the route's schemas, and the verified caller. */
export type HandlerRequest<R extends Route> = {
  readonly params: Parsed<R["params"]>;
  readonly query: Parsed<R["query"]>;
  readonly body: Parsed<R["body"]>;
} & (R["access"] extends "public" ? PublicRequest : CallerOf<R> & IdempotentRequest & PagedRequest);

/** Reply of a route by its schema. A route that streams may answer a `JsonArray` for a list too long for memory. */
type PlainAnswer<R extends Route> = InferOutput<R["reply"]> | (R["streams"] extends true ? JsonArray : never);

/** Answer types that the handler of a route may return. */
type Answer<R extends Route> =
  | PlainAnswer<R>
  | (R["method"] extends "GET" ? WithETag<PlainAnswer<R>> | FixedText : never)
  | (R["method"] extends "POST" ? ReplayedAnswer : never)
  | (R["dryRun"] extends GenericSchema ? DryRun<InferOutput<R["dryRun"]>> : never)
  | (R["report"] extends GenericSchema ? Report<InferOutput<R["report"]>> : never);

/** Returns the body text of the answer to a POST, PATCH or DELETE; empty for status 204. */
const textOf = (status: number, answer: unknown, write: ReplyWriter): string => {
  if (status === 204) return "";
  return answer instanceof ReplayedAnswer ? answer.text : write(answer);
};

/** HTTP reply whose body is a string or a stream. */
type StreamedReply = Omit<Reply, "body"> & { readonly body: string | Readable };

/** True for routes of other products' protocols (Langfuse), whose clients may write the same number in several notations. */
const isForeign = ({ path }: Route): boolean => path.startsWith("/api/");

/** State of one request between the first middleware and the log line. */
interface Exchange {
  readonly requestId: string;
  readonly startedAt: number;
  /** Body text as received; empty until the body has been decoded. */
  readonly sentText: string;
  readonly admitted?: AnyCaller;
  /** Counter of the DynamoDB read units that the request consumes. */
  readonly meter: ReadMeter;
}

/** Returns the id that scopes idempotency keys: the project, or else the user; undefined on public routes. */
const idOwnerOf = ({ project, user }: AnyCaller): string | undefined => project?.id ?? user?.userId;

/** Returns the ids that a list cursor is bound to, so that another caller cannot use the cursor. */
const cursorOwnerOf = ({ project, organizationId, user }: AnyCaller) => [project?.id, organizationId, user?.userId];

/** Returns the `Link` header to the next page; no header on the last page. */
const linkOf = (event: APIGatewayProxyEvent, answer: unknown): Record<string, string> => {
  const cursor: unknown = answer instanceof JsonArray ? answer.nextCursor : Object(answer).next_cursor;
  return typeof cursor === "string" ? nextLink(event, cursor) : {};
};

/**
 * Creates the Lambda handler of a route: checks the caller and the rate limits, parses the request, writes the reply, maps
 * errors to the service's error format and logs one line per request.
 *
 * @param guard check of the caller's credentials and limits.
 * @param wire reader and writer of bodies, only for routes with a `protocol` (OTLP).
 *
 * @example
 * export const handler = endpoint(getMonitor, environmentGuard(database), async ({ params, project }) =>
 *   monitorReply(await monitors.get(project.id, params.monitor_id)),
 * );
 */
export const endpoint = <const R extends Route>(
  route: R,
  guard: AccessGuard<CallerOf<R>>,
  handle: (request: HandlerRequest<R>) => Promise<Answer<R>>,
  ...[wire]: R["protocol"] extends string ? readonly [WireFormat] : readonly []
) => {
  const exchanges = new WeakMap<APIGatewayProxyEvent, Exchange>();
  const writers = replyWriters(route);

  const exchangeOf = (event: APIGatewayProxyEvent): Exchange => {
    const exchange = exchanges.get(event);
    if (exchange === undefined) throw new Error("The request has no state: the first middleware has not run.");
    return exchange;
  };

  const idempotencyOf = (event: APIGatewayProxyEvent, idOwner: string, requestId: string): IdempotentRequest => {
    const ids = requestIds(event, route.id, idOwner);
    return {
      ...ids,
      requestId,
      runOnce: async (options, work) => {
        const record = ids.replayRecord(route.idempotency === "replay-by-header");
        return record === null || guard.records === undefined
          ? work()
          : runOnce(event, guard.records, record, options, work, writers.reply);
      },
    };
  };

  /** Headers of every reply, successful or not: caching, rate limits, created project, CORS. */
  const requestHeaders = (event: APIGatewayProxyEvent): Record<string, string> =>
    mergeHeaders([
      readHeaders(route),
      rateHeaders(event),
      projectHeaders(event),
      crossOriginHeaders(event, guard.origins ?? []),
    ]);

  const write = (event: APIGatewayProxyEvent, { headers, ...reply }: Reply): Reply => {
    const complete = { ...reply, headers: { ...headers, ...requestHeaders(event) } };
    return wire?.write(event, complete) ?? complete;
  };

  const replyContextOf = (event: APIGatewayProxyEvent): ReplyContext => ({
    route,
    write: writers.reply,
    isHead: event.httpMethod === "HEAD",
    precondition: preconditionOf(headerValues(event, "If-None-Match")),
    coding: route.streams === true ? codingOf(headerValues(event, "Accept-Encoding")) : null,
  });

  /** Adds the request's read units to the client's read budget, if the guard has one. */
  const recordReads = async (event: APIGatewayProxyEvent): Promise<void> =>
    guard.bounds?.recordReads(event, exchangeOf(event).meter.units);

  /** Turns the body text into bytes. Middy would split a streamed text every 16,384 UTF-16 units, even within a character. */
  const streamable = <Sendable extends { readonly body: string | Readable }>(reply: Sendable) =>
    route.streams === true && typeof reply.body === "string" && reply.body !== ""
      ? { ...reply, body: textPieces(reply.body) }
      : reply;

  const log = (event: APIGatewayProxyEvent, status: number, error?: unknown): void => {
    const { requestId, startedAt, admitted } = exchangeOf(event);
    logLine("request_completed", {
      request_id: requestId,
      route: route.id,
      status,
      ms: Date.now() - startedAt,
      project_id: admitted?.project?.id,
      ...(status >= 500 ? faultFields(error) : {}),
    });
  };

  const handler = middy(
    async (event: APIGatewayProxyEvent, _context: Context) => {
      const { admitted, meter } = exchangeOf(event);
      const parsed = parseRequest(route, event);
      const paging =
        admitted === undefined ? undefined : pagingOf(route, event, cursorOwnerOf(admitted), parsed.query ?? {});
      const publicPart: Partial<PublicRequest> =
        route.access === "public" ? { serviceUrl: serviceUrlOf(event, route) } : {};
      const hasIfNoneMatch = replyContextOf(event).precondition.hasTags;
      const request: object = { ...parsed, ...admitted, ...publicPart, paging, hasIfNoneMatch };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the route's schemas have parsed the parts.
      const work = () => withReadMeter(meter, () => handle(request as HandlerRequest<R>));
      const isDryRun = route.dryRun !== undefined && Object(parsed.query).dry_run === true;
      const answer =
        route.idempotency === "replay" && !isDryRun && admitted?.runOnce !== undefined
          ? admitted.runOnce({ lease: leaseMilliseconds }, work)
          : work();
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- answers are replayed on POST routes only.
      return (await answer) as Answer<R>;
    },
    { executionMode: route.streams ? executionModeStreamifyResponse : executionModeStandard },
  );

  handler.before(({ event }) => {
    exchanges.set(event, { requestId: requestIdOf(event), startedAt: Date.now(), sentText: "", meter: { units: 0 } });
  });
  handler.before(async ({ event }) => {
    const caller: AnyCaller = await guard.admit(event, route);
    const exchange = exchangeOf(event);
    const idOwner = idOwnerOf(caller);
    const idempotency = idOwner !== undefined && idempotencyOf(event, idOwner, exchange.requestId);
    exchanges.set(event, { ...exchange, admitted: { ...caller, ...idempotency } });
  });
  if (wire !== undefined) {
    handler.before(({ event }) => {
      Object.assign(event, { body: wire.read(event) });
    });
  } else if (route.body !== undefined) {
    handler.before(({ event }) => {
      exchanges.set(event, {
        ...exchangeOf(event),
        sentText: prepareBody(event, isForeign(route) ? "value" : "notation"),
      });
    });
    handler.use(jsonBodyParser({ reviver: restoreGuarded }));
  }
  const statusAndWriter = (result: unknown): readonly [status: number, answer: unknown, write: ReplyWriter] => {
    if (result instanceof DryRun) return [200, result.answer, writers.dryRun];
    if (result instanceof Report) return [200, result.answer, writers.report];
    return [route.success, result, writers.reply];
  };

  /** Builds the HTTP reply of a handler's answer: status, headers, and the body as text or stream. */
  const successReply = async (event: APIGatewayProxyEvent, result: unknown): Promise<StreamedReply> => {
    const { requestId, meter } = exchangeOf(event);
    const commonHeaders = { ...successHeaders(route, requestId), ...replayHeaders(event) };
    const context = replyContextOf(event);
    if (route.method === "GET") {
      const build = (): ReturnType<typeof getReply> => getReply(context, result, () => recordReads(event));
      const { status, headers, body, answer } = await withReadMeter(meter, build);
      return { statusCode: status, headers: { ...commonHeaders, ...headers, ...linkOf(event, answer) }, body };
    }
    if (result instanceof JsonArray) {
      // No compression: a compressor would delay items that the client should see at once.
      const { status, headers, body } = await withReadMeter(meter, () =>
        listReply({ ...context, coding: null }, result, undefined, () => recordReads(event)),
      );
      return { statusCode: status, headers: { ...commonHeaders, ...headers }, body };
    }
    const [status, answer, writer] = statusAndWriter(result);
    await recordReads(event);
    const { headers, body } = await textReply(context, textOf(status, answer, writer));
    return { statusCode: status, headers: { ...commonHeaders, ...headers, ...linkOf(event, answer) }, body };
  };

  handler.after(async (request) => {
    const { event } = request;
    const { body, ...head } = await successReply(event, request.response);
    request.response =
      typeof body === "string"
        ? streamable(write(event, { ...head, body }))
        : { ...head, headers: { ...head.headers, ...requestHeaders(event) }, body };
    log(event, head.statusCode);
  });
  handler.onError(async (request) => {
    await recordReads(request.event);
    const { requestId, sentText } = exchangeOf(request.event);
    const refusal = refusalOf(request.error, () => errorOffset(sentText));
    const context = { requestId, serviceUrl: serviceUrlOf(request.event, route) };
    const errorReply = refusal === null ? faultReply(context) : refusalReply(refusal, context);
    const reply = write(request.event, errorReply);
    request.response = streamable(reply);
    log(request.event, reply.statusCode, request.error);
  });
  return handler;
};
