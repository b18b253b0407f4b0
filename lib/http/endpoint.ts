import { Readable } from "node:stream";
// oxlint-disable-next-line import/no-named-as-default -- its types export the default only.
import middy from "@middy/core";
import { executionModeStandard } from "@middy/core/executionModeStandard";
import { executionModeStreamifyResponse } from "@middy/core/executionModeStreamifyResponse";
import jsonBodyParser from "@middy/http-json-body-parser";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import type { GenericSchema, InferOutput } from "valibot";
import type { Route } from "../contract/route.ts";
import { faultFields, logLine } from "../log.ts";
import { DryRun, Report } from "./other-answer.ts";
import { crossOriginHeaders } from "./cross-origin.ts";
import { requestIdOf } from "./event.ts";
import type { Caller, Gate } from "./gate.ts";
import { JsonArray } from "./json-array.ts";
import { restoreGuarded } from "./json-text.ts";
import { parseRequest } from "./parse-request.ts";
import { nextLink, type Paging, pagingOf } from "./paging.ts";
import { rateHeaders } from "./limits/rate-state.ts";
import { projectHeaders } from "./caller-projects.ts";
import { refusalOf } from "./refusal-of.ts";
import { leaseMilliseconds, recorded, Replayed, type Recording } from "./recorded.ts";
import { idMint, repeatHeaders, type Mint } from "./repeat-key.ts";
import { faultReply, refusalReply, successHeaders, type Reply } from "./reply.ts";
import { errorOffset, prepareBody } from "./request-body.ts";
import { serviceUrlOf } from "./service-url.ts";
import { metering, type ReadMeter } from "../store/read-meter.ts";
import type { OrganizationCaller } from "./organization-gate.ts";
import type { UserCaller } from "./user-gate.ts";
import type { Wire } from "./wire.ts";

type Parsed<Schema> = Schema extends GenericSchema ? InferOutput<Schema> : undefined;

/** What only a request of a verified caller has. */
interface Minting extends Mint {
  readonly requestId: string;
  /** Does what nothing that it makes would tell of: sent again with its `Idempotency-Key` it gets the same answer, for a day. */
  readonly once: <Answer>(recording: Recording<Answer>, work: () => Promise<Answer>) => Promise<Answer | Replayed>;
}

/** Which page of a list is asked for, on every route whose caller is known. */
interface Listing {
  readonly paging: Paging;
}

/** Who sends a route's requests; nobody in particular where it is public. */
type CallerOf<R extends Route> = R["access"] extends "public"
  ? object
  : R["access"] extends "user"
    ? UserCaller
    : R["access"] extends "organization"
      ? OrganizationCaller
      : Caller;

/** The same for any route, as the wrapper sees it. */
type AnyCaller = object & Partial<Caller & UserCaller & Pick<Minting, "once">>;

/** What only a handler of a public route gets. */
interface Visit {
  /** Where the service was reached, without the route's own path. */
  readonly serviceUrl: string;
}

/** A request as a handler gets it: parsed by the route's schemas, its caller let in. */
export type HandlerRequest<R extends Route> = {
  readonly params: Parsed<R["params"]>;
  readonly query: Parsed<R["query"]>;
  readonly body: Parsed<R["body"]>;
} & (R["access"] extends "public" ? Visit : CallerOf<R> & Minting & Listing);

/** What a handler answers; a list too long for memory goes out as a `JsonArray`, on routes that stream. */
type Answer<R extends Route> =
  | InferOutput<R["reply"]>
  | (R["method"] extends "POST" ? Replayed : never)
  | (R["streams"] extends true ? JsonArray : never)
  | (R["dryRun"] extends GenericSchema ? DryRun<InferOutput<R["dryRun"]>> : never)
  | (R["report"] extends GenericSchema ? Report<InferOutput<R["report"]>> : never);

const followedBy = async function* (
  chunks: AsyncIterable<string>,
  settle: () => Promise<void>,
): AsyncGenerator<string> {
  yield* chunks;
  await settle();
};

/** The text of a handler's answer; chunks of it where it is long. */
const bodyOf = async (
  { media }: Route,
  status: number,
  answer: unknown,
  settle: () => Promise<void>,
): Promise<string | Readable> => {
  if (answer instanceof JsonArray && status !== 204) {
    const chunks = await answer.chunks();
    return Readable.from(followedBy(chunks, settle));
  }
  await settle();
  if (status === 204) return "";
  if (answer instanceof Replayed) return answer.text;
  return media !== undefined && typeof answer === "string" ? answer : JSON.stringify(answer);
};

/** What is known of a request while it is on its way. */
interface Exchange {
  readonly requestId: string;
  readonly startedAt: number;
  /** The body as it was sent; empty until it has been looked at. */
  readonly sentText: string;
  readonly admitted?: AnyCaller;
  /** What it reads. */
  readonly meter: ReadMeter;
}

/** Whose repeated requests make the same things: a project's or a user's. */
const repeaterOf = ({ project, user }: AnyCaller): string | undefined => project?.id ?? user?.userId;

/** Whose lists a caller sees. */
const ownerOf = ({ project, organizationId, user }: AnyCaller) => [project?.id, organizationId, user?.userId];

/** The header of a page that has another one behind it. */
const linkOf = (event: APIGatewayProxyEvent, answer: unknown): Record<string, string> => {
  const cursor: unknown = answer instanceof JsonArray ? answer.nextCursor : Object(answer).next_cursor;
  return typeof cursor === "string" ? nextLink(event, cursor) : {};
};

/**
 * Makes the Lambda handler of a route: lets the caller in, counts the limit, parses, answers, maps every error to our
 * shape and writes one line to the log.
 *
 * @param gate who may enter.
 * @param wire of a route that has a protocol: how it reads bodies and writes replies.
 */
export const endpoint = <const R extends Route>(
  route: R,
  gate: Gate<CallerOf<R>>,
  handle: (request: HandlerRequest<R>) => Promise<Answer<R>>,
  ...[wire]: R["protocol"] extends string ? readonly [Wire] : readonly []
) => {
  const exchanges = new WeakMap<APIGatewayProxyEvent, Exchange>();

  const exchangeOf = (event: APIGatewayProxyEvent): Exchange => {
    const exchange = exchanges.get(event);
    if (exchange === undefined) throw new Error("A request was handled before it was opened.");
    return exchange;
  };

  const mintingOf = (event: APIGatewayProxyEvent, repeater: string, requestId: string): Minting => {
    const mint = idMint(event, route.id, repeater);
    return {
      ...mint,
      requestId,
      once: async (recording, work) => {
        const record = mint.recordOf(route.repeats === "sent");
        return record === null || gate.records === undefined
          ? work()
          : recorded(event, gate.records, record, recording, work);
      },
    };
  };

  /** Headers of every reply to a request, however it ends. */
  const requestHeaders = (event: APIGatewayProxyEvent): Record<string, string> => ({
    ...rateHeaders(event),
    ...projectHeaders(event),
    ...crossOriginHeaders(event, gate.origins ?? []),
  });

  const write = (event: APIGatewayProxyEvent, { headers, ...reply }: Reply): Reply => {
    const whole = { ...reply, headers: { ...headers, ...requestHeaders(event) } };
    return wire?.write(event, whole) ?? whole;
  };

  /** Notes what a request has read, where that is counted. */
  const settle = async (event: APIGatewayProxyEvent): Promise<void> =>
    gate.bounds?.spend(event, exchangeOf(event).meter.units);

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
      const paging = admitted === undefined ? undefined : pagingOf(route, event, ownerOf(admitted), parsed.query ?? {});
      const visit: Partial<Visit> = route.access === "public" ? { serviceUrl: serviceUrlOf(event, route) } : {};
      const request: object = { ...parsed, ...admitted, ...visit, paging };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schemas of the route made the parts.
      const work = () => metering(meter, () => handle(request as HandlerRequest<R>));
      const answer =
        route.repeats === "recorded" && admitted?.once !== undefined
          ? admitted.once({ lease: leaseMilliseconds }, work)
          : work();
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only a POST is recorded.
      return (await answer) as Answer<R>;
    },
    { executionMode: route.streams ? executionModeStreamifyResponse : executionModeStandard },
  );

  handler.before(({ event }) => {
    exchanges.set(event, { requestId: requestIdOf(event), startedAt: Date.now(), sentText: "", meter: { units: 0 } });
  });
  handler.before(async ({ event }) => {
    const caller: AnyCaller = await gate.admit(event, route);
    const exchange = exchangeOf(event);
    const repeater = repeaterOf(caller);
    const minting = repeater !== undefined && mintingOf(event, repeater, exchange.requestId);
    exchanges.set(event, { ...exchange, admitted: { ...caller, ...minting } });
  });
  if (wire !== undefined) {
    handler.before(({ event }) => {
      Object.assign(event, { body: wire.read(event) });
    });
  } else if (route.body !== undefined) {
    handler.before(({ event }) => {
      exchanges.set(event, { ...exchangeOf(event), sentText: prepareBody(event) });
    });
    handler.use(jsonBodyParser({ reviver: restoreGuarded }));
  }
  handler.after(async (request) => {
    const { requestId, meter } = exchangeOf(request.event);
    const { response } = request;
    const isOther = response instanceof DryRun || response instanceof Report;
    const [status, answer] = isOther ? [200, response.answer] : [route.success, response];
    const body = await metering(meter, () => bodyOf(route, status, answer, () => settle(request.event)));
    const headers = {
      ...successHeaders(route, requestId),
      ...repeatHeaders(request.event),
      ...linkOf(request.event, answer),
    };
    const head = { statusCode: status, headers };
    request.response =
      typeof body === "string"
        ? write(request.event, { ...head, body })
        : {
            ...head,
            headers: { ...head.headers, ...requestHeaders(request.event) },
            body,
          };
    log(request.event, status);
  });
  handler.onError(async (request) => {
    await settle(request.event);
    const { requestId, sentText } = exchangeOf(request.event);
    const refusal = refusalOf(request.error, () => errorOffset(sentText));
    const asked = { requestId, serviceUrl: serviceUrlOf(request.event, route) };
    const refused = refusal === null ? faultReply(asked) : refusalReply(refusal, asked);
    const reply = write(request.event, refused);
    request.response = reply;
    log(request.event, reply.statusCode, request.error);
  });
  return handler;
};
