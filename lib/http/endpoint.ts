import type { Readable } from "node:stream";
// oxlint-disable-next-line import/no-named-as-default -- its types export the default only.
import middy from "@middy/core";
import { executionModeStandard } from "@middy/core/executionModeStandard";
import { executionModeStreamifyResponse } from "@middy/core/executionModeStreamifyResponse";
import jsonBodyParser from "@middy/http-json-body-parser";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import type { GenericSchema, InferOutput } from "valibot";
import { withRequestBudget } from "../async/request-budget.ts";
import { withDeadline } from "../aws/request-deadline.ts";
import { lineTypes } from "../contract/datasets/line-types.ts";
import { readingOf, type Route } from "../contract/route.ts";
import type { RequestWork } from "../domain/request-work.ts";
import { faultFields, logLine } from "../log.ts";
import { withLogContext } from "../log-context.ts";
import { answerReply } from "./answer-reply.ts";
import type { DryRun, ReplayedAnswer, Report, WithETag } from "./answers.ts";
import { busyWaits } from "./busy-wait.ts";
import type { FixedText } from "./documents/fixed-text.ts";
import { textPieces } from "./documents/text-pieces.ts";
import {
  type AccessGuard,
  type Caller,
  type Exchange,
  logContextOf,
  newExchange,
  type OrganizationCaller,
  type TelemetryCaller,
  type UserCaller,
  type ForwardedCaller,
} from "./exchange.ts";
import { idempotencyOf, requestLeaseMilliseconds } from "./idempotency.ts";
import { itemLinesOf, refusalByLine } from "./item-lines.ts";
import type { JsonArray } from "./json-array.ts";
import { reviverOf, errorOffset, prepareBody } from "./request-body.ts";
import { type Paging, pagingOf } from "./paging.ts";
import { parseRequest } from "./parse-request.ts";
import { refusalOf } from "./refusal-of.ts";
import {
  replyHeaders,
  faultReply,
  refusalReply,
  type Reply,
  successHeaders,
  type WireFormat,
  replyWriters,
} from "./reply.ts";

type Parsed<Schema> = Schema extends GenericSchema ? InferOutput<Schema> : undefined;

/** Type of the verified caller of a route, by the route's `access`; an empty object on public routes. */
type CallerOf<R extends Route> = R["access"] extends "public"
  ? object
  : R["access"] extends "verified"
    ? ForwardedCaller
    : R["access"] extends "user"
      ? UserCaller
      : R["access"] extends "organization"
        ? OrganizationCaller
        : R["namesProjects"] extends true
          ? TelemetryCaller
          : Caller;

/** Exchange as a handler receives it: with the verified caller, and parameters, query and body parsed by the route's schemas. */
export type HandlerRequest<R extends Route> = {
  readonly params: Parsed<R["params"]>;
  readonly query: Parsed<R["query"]>;
  readonly body: Parsed<R["body"]>;
  readonly paging: Paging;
} & Readonly<Exchange> &
  CallerOf<R>;

/** Reply of a route by its schema. A route that streams may answer a `JsonArray` for a list too long for memory. */
type PlainAnswer<R extends Route> = InferOutput<R["reply"]> | (R["streams"] extends true ? JsonArray : never);

/** Answer types that the handler of a route may return. */
type Answer<R extends Route> =
  | PlainAnswer<R>
  | (R["method"] extends "GET" ? WithETag<PlainAnswer<R>> : never)
  | (R["method"] extends "GET" | "POST" ? FixedText : never)
  | (R["method"] extends "POST" ? ReplayedAnswer : never)
  | (R["dryRun"] extends GenericSchema ? DryRun<InferOutput<R["dryRun"]>> : never)
  | (R["report"] extends GenericSchema ? Report<InferOutput<R["report"]>> : never);

/** HTTP reply whose body is a string or a stream. */
type StreamedReply = Omit<Reply, "body"> & { readonly body: string | Readable };

/** Context of an invocation. The first stage adds the exchange, and every later stage works on it. */
type ExchangeContext = Context & { exchange: Exchange };

/** Time-out of a route's function without one of its own, milliseconds: API Gateway drops later replies. */
const gatewayMilliseconds = 29_000;

/** Returns the log fields of the work that a request has caused. */
const workFields = ({ readUnits, writeUnits, lookups, providerCalls, unpackedBytes }: RequestWork) => ({
  read_units: readUnits,
  write_units: writeUnits,
  lookups,
  provider_calls: providerCalls,
  unpacked_bytes: unpackedBytes,
});

/** Milliseconds of the time-out that are left for a cold start, which the gateway counts too, and for the reply. */
const replyMilliseconds = 4_000;

/**
 * Creates the Lambda handler of a route. A request goes through the stages `admit`, `read`, `parse`, `handle` and `reply`,
 * each a function of its exchange; an error in any of them goes to `refuse`. Either way one line is logged. All of a request's
 * AWS calls share one time.
 *
 * @param guard check of the caller's credentials and limits.
 * @param wire reader and writer of bodies, only for routes with a `protocol`.
 *
 * @example
 * export const handler = endpoint(getMonitor, environmentGuard(database), async ({ params, project }) =>
 *   monitorReply(await monitors.get(project.id, params.monitor_id)),
 * );
 */
export const endpoint = <const R extends Route>(
  route: R,
  guard: AccessGuard<CallerOf<R>>,
  handler: (request: HandlerRequest<R>) => Promise<Answer<R>>,
  ...[wire]: R["protocol"] extends string ? readonly [WireFormat] : readonly []
) => {
  const writers = replyWriters(route);
  const busyWait = busyWaits();
  const { origins = [], records } = guard;
  const bodyTypes = route.hasLines === true ? ["application/json", ...lineTypes] : undefined;
  const timeout = route.timeout === undefined ? gatewayMilliseconds : route.timeout * 1_000;
  const inTime = <Result>({ startedAt }: Exchange, work: () => Result): Result =>
    withDeadline(startedAt + timeout - replyMilliseconds, work);

  /** Verifies the caller, counts the rate limits at the same time, and derives ids from the request's idempotency key. */
  const admit = async (exchange: Exchange): Promise<void> => {
    const caller: Partial<Caller & UserCaller> = await inTime(exchange, () => guard.admit(exchange));
    const telemetryOwner = route.namesProjects === true ? caller.organizationId : null;
    const idOwner = caller.project?.id ?? caller.user?.userId ?? telemetryOwner ?? undefined;
    const idempotency = idOwner === undefined ? {} : idempotencyOf(exchange, idOwner, records, writers.reply);
    Object.assign(exchange, caller, idempotency);
  };

  /** Decodes the body: by the wire format, or to text that the JSON parser may read. */
  const read = async (exchange: Exchange): Promise<void> => {
    const { event } = exchange;
    if (route.body === undefined) return;
    if (wire !== undefined) Object.assign(event, { body: await wire.read(event, exchange.warn) });
    else {
      const sent = route.lineColumns === undefined ? undefined : itemLinesOf(event, route.lineColumns);
      exchange.itemLines = sent?.lines;
      exchange.sentText = prepareBody(event, readingOf(route), sent?.json);
    }
  };

  /** Parses parameters, query and body by the route's schemas, and the page that the query requests. */
  const parse = (exchange: Exchange): void => {
    const { event, project, organizationId, user } = exchange;
    const parts = parseRequest(route, event);
    // A cursor is bound to these ids, so that another caller cannot use it.
    const cursorOwner = [project?.id, organizationId, user?.userId];
    Object.assign(exchange, parts, { paging: pagingOf(route, event, cursorOwner, parts.query ?? {}) });
  };

  /** Runs the handler, or replays the answer of an earlier request with the same idempotency key. */
  const handle = (exchange: Exchange): Promise<unknown> => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the earlier stages have added caller and parsed parts.
    const request = exchange as HandlerRequest<R>;
    const work = (): Promise<unknown> =>
      withLogContext(logContextOf(exchange), () => withRequestBudget(exchange.budget, () => handler(request)));
    const isDryRun = route.dryRun !== undefined && Object(request.query).dry_run === true;
    return inTime(exchange, () =>
      route.idempotency === "replay" && !isDryRun
        ? exchange.runOnce({ lease: requestLeaseMilliseconds }, work)
        : work(),
    );
  };

  /** Completes a reply: headers of every reply, the wire format, and text in bytes where the route streams. */
  const send = (exchange: Exchange, { body, headers, ...head }: StreamedReply): StreamedReply => {
    const allHeaders = { ...headers, ...replyHeaders(exchange, origins) };
    if (typeof body !== "string") return { ...head, headers: allHeaders, body };
    const plainReply = { ...head, headers: allHeaders, body };
    const wireReply = wire?.write(exchange.event, plainReply) ?? plainReply;
    // Middy would split a streamed text every 16,384 UTF-16 units, even within a character.
    const isSplit = route.streams === true && wireReply.body !== "";
    return isSplit ? { ...wireReply, body: textPieces(wireReply.body) } : wireReply;
  };

  /** Builds the HTTP reply of a handler's answer: status, headers, and the body as text or stream. */
  const reply = async (exchange: Exchange, answer: unknown): Promise<StreamedReply> => {
    const build = () => answerReply(exchange, writers, answer);
    const metered = () => withRequestBudget(exchange.budget, build);
    const { status: statusCode, headers, body } = await inTime(exchange, metered);
    return send(exchange, { statusCode, headers: { ...successHeaders(exchange), ...headers }, body });
  };

  /** Builds the reply of a request that has failed. */
  const refuse = async (exchange: Exchange, error: unknown): Promise<StreamedReply> => {
    // Without the record the reserved units count for the rest of the minute.
    await inTime(exchange, exchange.recordReads).catch(() => undefined);
    const refusal = refusalOf(error, () => errorOffset(exchange.sentText), bodyTypes);
    if (refusal === null) return send(exchange, faultReply(exchange));
    return send(exchange, refusalReply(refusalByLine(refusal, exchange.itemLines), exchange, busyWait));
  };

  const log = (exchange: Exchange, { statusCode }: StreamedReply, error?: unknown): void => {
    logLine("request_completed", {
      ...logContextOf(exchange),
      route: route.id,
      status: statusCode,
      ms: Date.now() - exchange.startedAt,
      ...workFields(exchange.budget.spent),
      ...(statusCode >= 500 ? faultFields(error) : {}),
    });
  };

  const lambda = middy<APIGatewayProxyEvent, unknown, Error, ExchangeContext>(
    (_event: APIGatewayProxyEvent, { exchange }: ExchangeContext) => handle(exchange),
    { executionMode: route.streams ? executionModeStreamifyResponse : executionModeStandard },
  );
  lambda.before(({ event, context }) => {
    context.exchange = newExchange(event, route);
  });
  lambda.before(({ context }) => admit(context.exchange));
  lambda.before(({ context }) => read(context.exchange));
  if (route.body !== undefined && wire === undefined)
    lambda.use(jsonBodyParser({ reviver: reviverOf(readingOf(route)) }));
  lambda.before(({ context }) => parse(context.exchange));
  lambda.after(async (request) => {
    const { exchange } = request.context;
    const httpReply = await reply(exchange, request.response);
    request.response = httpReply;
    log(exchange, httpReply);
  });
  lambda.onError(async (request) => {
    const { exchange } = request.context;
    const httpReply = await refuse(exchange, request.error);
    request.response = httpReply;
    log(exchange, httpReply, request.error);
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the first stage adds the exchange to the context.
  return Object.assign(lambda as unknown as (event: APIGatewayProxyEvent, context: Context) => Promise<unknown>, {
    route,
  });
};

/** The Lambda handler of a route, with the route. */
export type Endpoint = ReturnType<typeof endpoint>;
