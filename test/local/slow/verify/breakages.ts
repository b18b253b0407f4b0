import type { Timeouts } from "../../../../infra/verify/timeouts.ts";
import type { Check } from "../../../../infra/verify/check.ts";
import { analytics } from "../../../../infra/verify/questions/analytics.ts";
import { compressedBody, compressedReply } from "../../../../infra/verify/questions/compression.ts";
import { credentials } from "../../../../infra/verify/questions/credentials.ts";
import { defaultJudge } from "../../../../infra/verify/questions/default-judge.ts";
import { deletedTrace } from "../../../../infra/verify/questions/deleted-trace.ts";
import { everyRequestId } from "../../../../infra/verify/questions/every-request-id.ts";
import { largeBody } from "../../../../infra/verify/questions/large-body.ts";
import { lateSpan } from "../../../../infra/verify/questions/late-span.ts";
import { malformedBody } from "../../../../infra/verify/questions/malformed-body.ts";
import { monitor } from "../../../../infra/verify/questions/monitor.ts";
import { newKey } from "../../../../infra/verify/questions/new-key.ts";
import { openApiDocument } from "../../../../infra/verify/questions/open-api.ts";
import { otlpJson } from "../../../../infra/verify/questions/otlp-json.ts";
import { otlpProtobuf } from "../../../../infra/verify/questions/otlp-protobuf.ts";
import { programScore } from "../../../../infra/verify/questions/program-score.ts";
import { queue } from "../../../../infra/verify/questions/queue.ts";
import { rateLimit } from "../../../../infra/verify/questions/rate-limit.ts";
import { requestId } from "../../../../infra/verify/questions/request-id.ts";
import { root } from "../../../../infra/verify/questions/root.ts";
import { routeTimes } from "../../../../infra/verify/questions/route-times.ts";
import { storedTrace } from "../../../../infra/verify/questions/stored-trace.ts";
import { streamedSession } from "../../../../infra/verify/questions/streamed-session.ts";
import { unconfiguredProvider } from "../../../../infra/verify/questions/unconfigured-provider.ts";
import { unknownRoute } from "../../../../infra/verify/questions/unknown-route.ts";
import { usagePlan } from "../../../../infra/verify/questions/usage-plan.ts";
import { wrongMethod } from "../../../../infra/verify/questions/wrong-method.ts";
import type { Change } from "../../../support/service/breaking-proxy.ts";
import {
  answering,
  at,
  doubled,
  json,
  replaced,
  shortened,
  status,
  where,
  withText,
  without,
  firings,
  unknownKey,
} from "./edits.ts";

/** A fault of a deployment, the check that has to detect it, and the expected text. */
export interface Breakage {
  readonly broken: string;
  readonly question: Check;
  /** Second check, which has to detect the fault instead of the first one. */
  readonly last?: Check;
  readonly expectedText: RegExp;
  readonly timeouts?: Partial<Timeouts>;
  /** True if the fault needs a bearer token to be detected. */
  readonly withToken?: true;
  /** Creates the fault for one deployment; some faults have state. */
  readonly change: () => Change;
}

/** A run that never ends. */
const endless = where(
  at("GET", /\/trace-runs\/[0-9a-f-]+$/u),
  json((run) => ({ ...run, completed_at: null })),
);

export const breakages: readonly Breakage[] = [
  {
    broken: "a 401 without X-Request-ID",
    question: credentials,
    expectedText: /no credential has no X-Request-ID/u,
    change: where(status(401), without("x-request-id")),
  },
  {
    broken: "a 202 without X-Request-ID",
    question: lateSpan,
    last: everyRequestId,
    expectedText: /missing on 1 of \d+ replies, the first to POST \/traces \(202\)/u,
    change: where(status(202), without("x-request-id")),
  },
  {
    broken: "a 401 without WWW-Authenticate",
    question: credentials,
    expectedText: /no credential has no WWW-Authenticate: Bearer/u,
    change: where(status(401), without("www-authenticate")),
  },
  {
    broken: "the gateway's own text on an unknown path",
    question: unknownRoute,
    expectedText: /403 \{"message":"Missing Authentication Token"\} instead of 404/u,
    change: where(at("GET", /^\/nowhere$/u), (reply) => ({
      ...withText(reply, '{"message":"Missing Authentication Token"}'),
      status: 403,
    })),
  },
  {
    broken: "a 405 without Allow",
    question: wrongMethod,
    expectedText: /PUT \/traces has no Allow: GET, HEAD, POST/u,
    change: where(status(405), without("allow")),
  },
  {
    broken: "a changed text of a 422",
    question: malformedBody,
    expectedText: /malformed JSON answered 422/u,
    change: where(status(422), replaced("JSON decode error", "Bad JSON")),
  },
  {
    broken: "bytes that are not UTF-8 are taken",
    question: malformedBody,
    expectedText: /not UTF-8 answered 202/u,
    change: where(
      (_, { body }) => body.includes("not valid UTF-8"),
      (reply) => ({ ...withText(reply, "{}"), status: 202 }),
    ),
  },
  {
    broken: "a large body that is a 502",
    question: largeBody,
    expectedText: /10 MiB and a byte answered 502/u,
    change: where((_, { body }) => body.includes("too large"), answering(502, "Bad Gateway")),
  },
  {
    broken: "a body in gzip that is taken as it is",
    question: compressedBody,
    expectedText: /gzip answered 422/u,
    change: where(({ headers }) => headers["content-encoding"] === "gzip", answering(422, "JSON decode error")),
  },
  {
    broken: "a gateway that sends a compressed reply without saying so, and knows no tags",
    question: compressedReply,
    expectedText: /has the content coding none.*with If-None-Match answered 200/u,
    change: where(
      ({ path }) => path === "/prices",
      (reply) => ({
        ...reply,
        status: 200,
        headers: { ...reply.headers, "content-encoding": undefined },
        body: Buffer.from("[]"),
      }),
    ),
  },
  {
    broken: "a request id that is replaced",
    question: requestId,
    expectedText: /a 200 reply has another/u,
    change: where(status(200), (reply) => ({ ...reply, headers: { ...reply.headers, "x-request-id": "another" } })),
  },
  {
    broken: "GET / that leads out of the stage",
    question: root,
    expectedText: /302 with Location \/elsewhere\/docs instead of/u,
    change: where(status(302), (reply) => ({ ...reply, headers: { ...reply.headers, location: "/elsewhere/docs" } })),
  },
  {
    broken: "an OpenAPI document of another address",
    question: openApiDocument,
    expectedText: /its server is https:\/\/example\.com/u,
    change: where(
      at("GET", /openapi/u),
      json((body) => ({ ...body, servers: [{ url: "https://example.com/" }] })),
    ),
  },
  {
    broken: "an OpenAPI document of an older version",
    question: openApiDocument,
    expectedText: /it lacks POST \/v1\/traces/u,
    change: where(at("GET", /openapi/u), replaced('"exportTraces"', '"export"')),
  },
  {
    broken: "a connection that ends in the middle of a streamed reply",
    question: streamedSession,
    expectedText: /GET \/sessions\/.*: the reply was cut off/u,
    change: where(at("GET", /^\/sessions\//u), (reply) => ({ ...reply, cutAfter: 5_000_000 })),
  },
  {
    broken: "a streamed reply that lacks its end",
    question: streamedSession,
    expectedText: /JSON/u,
    change: where(at("GET", /^\/sessions\//u), (reply) => ({ ...reply, body: reply.body.subarray(0, 6_500_000) })),
  },
  {
    broken: "a text that reads back in another encoding",
    question: storedTrace,
    expectedText: /input\.messages\[0\]\.content was sent as .* and read as/u,
    change: where(at("GET", /^\/traces\/[0-9a-f-]+$/u), replaced("Grüße", "GrÃ¼Ãe")),
  },
  {
    broken: "a number that loses its last digits",
    question: storedTrace,
    expectedText: /the number 12345678901234567890\.125 was changed/u,
    change: where(at("GET", /^\/traces\/[0-9a-f-]+$/u), replaced("12345678901234567890.125", "12345678901234567000")),
  },
  {
    broken: "a total that counts one too many",
    question: storedTrace,
    expectedText: /has a total of 2/u,
    change: where(
      at("GET", /^\/traces\?tags/u),
      json((body) => ({ ...body, total: 2 })),
    ),
  },
  {
    broken: "a list in another shape",
    question: storedTrace,
    expectedText: /GET \/traces answered with an unexpected body: total/u,
    change: where(
      at("GET", /^\/traces\?tags/u),
      json((body) => ({ ...body, total: "1" })),
    ),
  },
  {
    broken: "a late span that is not there",
    question: lateSpan,
    expectedText: /spans was sent as/u,
    change: where(
      at("GET", /^\/traces\//u),
      json((body) => ({ ...body, spans: [(body["spans"] as unknown[])[0]] })),
    ),
  },
  {
    broken: "a score that lies twice",
    question: programScore,
    expectedText: /scores was sent as/u,
    change: where(at("GET", /\/trace-scores\//u), doubled),
  },
  {
    broken: "a deleted trace that can still be read",
    question: deletedTrace,
    expectedText: /reading it answered 200/u,
    change: where(
      (request, reply) => at("GET", /^\/traces\//u)(request) && reply.status === 404,
      (reply) => ({ ...reply, status: 200 }),
    ),
  },
  {
    broken: "analytics that stand still",
    question: analytics,
    expectedText: /0 traces of 3 after/u,
    timeouts: { analytics: 200 },
    change: where(at("GET", /analytics/u), (reply) => withText(reply, "[]")),
  },
  {
    broken: "a pair that is scored twice",
    question: defaultJudge,
    expectedText: /1 of 6 pairs have more than one score/u,
    change: where(at("GET", /\/scores$/u), doubled),
  },
  {
    broken: "a pair without a score",
    question: defaultJudge,
    expectedText: /1 of 6 pairs have no score/u,
    change: where(at("GET", /\/scores$/u), shortened),
  },
  {
    broken: "a run that never ends",
    question: defaultJudge,
    expectedText: /the run was \w+ after/u,
    timeouts: { run: 100 },
    change: endless,
  },
  {
    broken: "a queue that loses a pair",
    question: queue,
    expectedText: /1 of 100 pairs have no score/u,
    change: where(at("GET", /\/scores$/u), shortened),
  },
  {
    broken: "a failed run that does not say why",
    question: unconfiguredProvider,
    expectedText: /FAILED: null instead of FAILED: Provider 'OpenAI' is not configured/u,
    change: where(
      at("GET", /\/trace-runs\//u),
      json((run) => ({ ...run, error_message: null })),
    ),
  },
  {
    broken: "OTLP's JSON answered in our own shape",
    question: otlpJson,
    expectedText: /the reply was \{"partialSuccess"/u,
    change: where(at("POST", /^\/v1\/traces$/u), (reply) =>
      withText(reply, '{"partialSuccess":{"rejectedSpans":"1","errorMessage":"no"}}'),
    ),
  },
  {
    broken: "a refusal in protobuf that went through a text's encoding",
    question: otlpProtobuf,
    expectedText: /a truncated message was answered 400/u,
    change: where(status(400), (reply) => withText(reply, reply.body.toString("base64"))),
  },
  {
    broken: "a 429 without Retry-After",
    question: rateLimit,
    expectedText: /a refusal is 429 .* with Retry-After undefined/u,
    change: where(status(429), without("retry-after")),
  },
  {
    broken: "no rate limit",
    question: rateLimit,
    expectedText: /300 requests within a minute were accepted/u,
    change: where(status(429), answering(404, "Monitor not found.")),
  },
  {
    broken: "a usage plan that says no time",
    question: usagePlan,
    expectedText: /a refusal is 429 .*Try again in 1 second.* with Retry-After undefined/u,
    change: where(at("POST", /\/trigger$/u), (reply) => ({
      ...answering(429, "Too many requests. Try again in 1 second.")(reply),
      headers: { ...reply.headers, "retry-after": undefined },
    })),
  },
  {
    broken: "a route that fails",
    question: routeTimes,
    expectedText: /GET \/health answered 500/u,
    change: where(at("GET", /^\/health$/u), answering(500, "Internal Server Error")),
  },
  {
    broken: "a monitor that fires although it is paused",
    question: monitor,
    expectedText: /it fired while paused for 2026-11-22T09:02:00\.000000\+00:00/u,
    timeouts: { quiet: 50 },
    change: firings([2, 1]),
  },
  {
    broken: "a monitor that fires twice for one instant",
    question: monitor,
    expectedText: /it fired twice for one instant/u,
    timeouts: { quiet: 50 },
    change: firings([1, 1]),
  },
  {
    broken: "a schedule that never fires",
    question: monitor,
    expectedText: /it had not fired after/u,
    timeouts: { firing: 100 },
    change: where(
      at("GET", /\/firings$/u),
      json((body) => ({ ...body, items: [], total: 0 })),
    ),
  },
  {
    broken: "a gateway that does not know a new key for a while",
    question: newKey,
    expectedText: /1 of \d+ later calls were refused, first with 403/u,
    timeouts: { newKey: 300 },
    withToken: true,
    change: unknownKey,
  },
];
