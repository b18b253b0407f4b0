import type { Patience } from "../../../infra/verify/patience.ts";
import type { Question } from "../../../infra/verify/question.ts";
import { analytics } from "../../../infra/verify/questions/analytics.ts";
import { compressedBody, compressedReply } from "../../../infra/verify/questions/compression.ts";
import { credentials } from "../../../infra/verify/questions/credentials.ts";
import { defaultJudge } from "../../../infra/verify/questions/default-judge.ts";
import { deletedTrace } from "../../../infra/verify/questions/deleted-trace.ts";
import { everyRequestId } from "../../../infra/verify/questions/every-request-id.ts";
import { largeBody } from "../../../infra/verify/questions/large-body.ts";
import { lateSpan } from "../../../infra/verify/questions/late-span.ts";
import { malformedBody } from "../../../infra/verify/questions/malformed-body.ts";
import { monitor } from "../../../infra/verify/questions/monitor.ts";
import { newKey } from "../../../infra/verify/questions/new-key.ts";
import { openApiDocument } from "../../../infra/verify/questions/open-api.ts";
import { otlpJson } from "../../../infra/verify/questions/otlp-json.ts";
import { otlpProtobuf } from "../../../infra/verify/questions/otlp-protobuf.ts";
import { programScore } from "../../../infra/verify/questions/program-score.ts";
import { queue } from "../../../infra/verify/questions/queue.ts";
import { rateLimit } from "../../../infra/verify/questions/rate-limit.ts";
import { requestId } from "../../../infra/verify/questions/request-id.ts";
import { root } from "../../../infra/verify/questions/root.ts";
import { routeTimes } from "../../../infra/verify/questions/route-times.ts";
import { storedTrace } from "../../../infra/verify/questions/stored-trace.ts";
import { streamedSession } from "../../../infra/verify/questions/streamed-session.ts";
import { unconfiguredProvider } from "../../../infra/verify/questions/unconfigured-provider.ts";
import { unknownRoute } from "../../../infra/verify/questions/unknown-route.ts";
import { usagePlan } from "../../../infra/verify/questions/usage-plan.ts";
import { wrongMethod } from "../../../infra/verify/questions/wrong-method.ts";
import type { Change } from "../../support/service/breaking-proxy.ts";
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

/** One thing of a deployment that is broken, the question that has to find it, and in which words. */
export interface Breakage {
  readonly broken: string;
  readonly question: Question;
  /** Asked after it; then this is what has to find it. */
  readonly last?: Question;
  readonly said: RegExp;
  readonly patience?: Partial<Patience>;
  /** Whether it needs a bearer token. */
  readonly withToken?: true;
  /** Made anew for each deployment, since some of them remember. */
  readonly change: () => Change;
}

/** One run is never done. */
const endless = where(
  at("GET", /\/trace-runs\/[0-9a-f-]+$/u),
  json((run) => ({ ...run, completed_at: null })),
);

export const breakages: readonly Breakage[] = [
  {
    broken: "a 401 without X-Request-ID",
    question: credentials,
    said: /no credential has no X-Request-ID/u,
    change: where(status(401), without("x-request-id")),
  },
  {
    broken: "a 202 without X-Request-ID",
    question: lateSpan,
    last: everyRequestId,
    said: /not on 1 of \d+ replies, the first to POST \/traces \(202\)/u,
    change: where(status(202), without("x-request-id")),
  },
  {
    broken: "a 401 without WWW-Authenticate",
    question: credentials,
    said: /no credential has no WWW-Authenticate: Bearer/u,
    change: where(status(401), without("www-authenticate")),
  },
  {
    broken: "the gateway's own text on an unknown path",
    question: unknownRoute,
    said: /403 \{"message":"Missing Authentication Token"\} in place of 404/u,
    change: where(at("GET", /^\/nowhere$/u), (reply) => ({
      ...withText(reply, '{"message":"Missing Authentication Token"}'),
      status: 403,
    })),
  },
  {
    broken: "a 405 without Allow",
    question: wrongMethod,
    said: /PUT \/traces has no Allow: GET, HEAD, POST/u,
    change: where(status(405), without("allow")),
  },
  {
    broken: "a changed text of a 422",
    question: malformedBody,
    said: /malformed JSON answered 422/u,
    change: where(status(422), replaced("JSON decode error", "Bad JSON")),
  },
  {
    broken: "bytes that are not UTF-8 are taken",
    question: malformedBody,
    said: /not UTF-8 answered 202/u,
    change: where(
      (_, { body }) => body.includes("not valid UTF-8"),
      (reply) => ({ ...withText(reply, "{}"), status: 202 }),
    ),
  },
  {
    broken: "a large body that is a 502",
    question: largeBody,
    said: /10 MiB and a byte answered 502/u,
    change: where((_, { body }) => body.includes("too large"), answering(502, "Bad Gateway")),
  },
  {
    broken: "a body in gzip that is taken as it is",
    question: compressedBody,
    said: /gzip answered 422/u,
    change: where(({ headers }) => headers["content-encoding"] === "gzip", answering(422, "JSON decode error")),
  },
  {
    broken: "a gateway that sends a compressed reply without saying so, and knows no tags",
    question: compressedReply,
    said: /came as it is.*answered 200 to who has it/u,
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
    said: /a 200 came with another/u,
    change: where(status(200), (reply) => ({ ...reply, headers: { ...reply.headers, "x-request-id": "another" } })),
  },
  {
    broken: "GET / that leads out of the stage",
    question: root,
    said: /302 with Location \/elsewhere\/docs in place of/u,
    change: where(status(302), (reply) => ({ ...reply, headers: { ...reply.headers, location: "/elsewhere/docs" } })),
  },
  {
    broken: "an OpenAPI document of another address",
    question: openApiDocument,
    said: /its server is https:\/\/example\.com/u,
    change: where(
      at("GET", /openapi/u),
      json((body) => ({ ...body, servers: [{ url: "https://example.com/" }] })),
    ),
  },
  {
    broken: "an OpenAPI document of an older version",
    question: openApiDocument,
    said: /it lacks POST \/v1\/traces/u,
    change: where(at("GET", /openapi/u), replaced('"exportTraces"', '"export"')),
  },
  {
    broken: "a connection that ends in the middle of a streamed reply",
    question: streamedSession,
    said: /GET \/sessions\/.*: the reply was cut off/u,
    change: where(at("GET", /^\/sessions\//u), (reply) => ({ ...reply, cutAfter: 5_000_000 })),
  },
  {
    broken: "a streamed reply that lacks its end",
    question: streamedSession,
    said: /JSON/u,
    change: where(at("GET", /^\/sessions\//u), (reply) => ({ ...reply, body: reply.body.subarray(0, 6_500_000) })),
  },
  {
    broken: "a text that reads back in another encoding",
    question: storedTrace,
    said: /input\.messages\[0\]\.content was sent as .* and read as/u,
    change: where(at("GET", /^\/traces\/[0-9a-f-]+$/u), replaced("Grüße", "GrÃ¼Ãe")),
  },
  {
    broken: "a number that loses its last digits",
    question: storedTrace,
    said: /the number 12345678901234567890\.125 came back as another/u,
    change: where(at("GET", /^\/traces\/[0-9a-f-]+$/u), replaced("12345678901234567890.125", "12345678901234567000")),
  },
  {
    broken: "a total that counts one too many",
    question: storedTrace,
    said: /has a total of 2/u,
    change: where(
      at("GET", /^\/traces\?tags/u),
      json((body) => ({ ...body, total: 2 })),
    ),
  },
  {
    broken: "a list in another shape",
    question: storedTrace,
    said: /GET \/traces answered in another shape: total/u,
    change: where(
      at("GET", /^\/traces\?tags/u),
      json((body) => ({ ...body, total: "1" })),
    ),
  },
  {
    broken: "a late span that is not there",
    question: lateSpan,
    said: /spans was sent as/u,
    change: where(
      at("GET", /^\/traces\//u),
      json((body) => ({ ...body, spans: [(body["spans"] as unknown[])[0]] })),
    ),
  },
  {
    broken: "a score that lies twice",
    question: programScore,
    said: /scores was sent as/u,
    change: where(at("GET", /\/trace-scores\//u), doubled),
  },
  {
    broken: "a deleted trace that can still be read",
    question: deletedTrace,
    said: /reading it answered 200/u,
    change: where(
      (request, reply) => at("GET", /^\/traces\//u)(request) && reply.status === 404,
      (reply) => ({ ...reply, status: 200 }),
    ),
  },
  {
    broken: "analytics that stand still",
    question: analytics,
    said: /0 traces of 3 after/u,
    patience: { analytics: 200 },
    change: where(at("GET", /analytics/u), (reply) => withText(reply, "[]")),
  },
  {
    broken: "a pair that is scored twice",
    question: defaultJudge,
    said: /1 of 6 pairs have more than one score/u,
    change: where(at("GET", /\/scores$/u), doubled),
  },
  {
    broken: "a pair without a score",
    question: defaultJudge,
    said: /1 of 6 pairs have no score/u,
    change: where(at("GET", /\/scores$/u), shortened),
  },
  {
    broken: "a run that never ends",
    question: defaultJudge,
    said: /the run was \w+ after/u,
    patience: { run: 100 },
    change: endless,
  },
  {
    broken: "a queue that loses a pair",
    question: queue,
    said: /1 of 100 pairs have no score/u,
    change: where(at("GET", /\/scores$/u), shortened),
  },
  {
    broken: "a failed run that does not say why",
    question: unconfiguredProvider,
    said: /FAILED: null in place of FAILED: Provider 'OpenAI' is not configured/u,
    change: where(
      at("GET", /\/trace-runs\//u),
      json((run) => ({ ...run, error_message: null })),
    ),
  },
  {
    broken: "OTLP's JSON answered in our own shape",
    question: otlpJson,
    said: /it was answered \{"partialSuccess"/u,
    change: where(at("POST", /^\/v1\/traces$/u), (reply) =>
      withText(reply, '{"partialSuccess":{"rejectedSpans":"1","errorMessage":"no"}}'),
    ),
  },
  {
    broken: "a refusal in protobuf that went through a text's encoding",
    question: otlpProtobuf,
    said: /a message cut short was answered 400/u,
    change: where(status(400), (reply) => withText(reply, reply.body.toString("base64"))),
  },
  {
    broken: "a 429 without Retry-After",
    question: rateLimit,
    said: /a refusal is 429 .* with Retry-After undefined/u,
    change: where(status(429), without("retry-after")),
  },
  {
    broken: "no rate limit",
    question: rateLimit,
    said: /300 requests within a minute were let through/u,
    change: where(status(429), answering(404, "Monitor not found.")),
  },
  {
    broken: "a usage plan that says no time",
    question: usagePlan,
    said: /a refusal is 429 .*Try again in 1 second.* with Retry-After undefined/u,
    change: where(at("POST", /\/trigger$/u), (reply) => ({
      ...answering(429, "Too many requests. Try again in 1 second.")(reply),
      headers: { ...reply.headers, "retry-after": undefined },
    })),
  },
  {
    broken: "a route that fails",
    question: routeTimes,
    said: /GET \/health answered 500/u,
    change: where(at("GET", /^\/health$/u), answering(500, "Internal Server Error")),
  },
  {
    broken: "a monitor that fires although it is paused",
    question: monitor,
    said: /paused it fired for 2026-11-22T09:02:00\.000000\+00:00/u,
    patience: { quiet: 50 },
    change: firings([2, 1]),
  },
  {
    broken: "a monitor that fires twice for one instant",
    question: monitor,
    said: /it fired twice for one instant/u,
    patience: { quiet: 50 },
    change: firings([1, 1]),
  },
  {
    broken: "a schedule that never fires",
    question: monitor,
    said: /it had not fired after/u,
    patience: { firing: 100 },
    change: where(
      at("GET", /\/firings$/u),
      json((body) => ({ ...body, items: [], total: 0 })),
    ),
  },
  {
    broken: "a gateway that does not know a new key for a while",
    question: newKey,
    said: /1 of \d+ later calls were refused, first with 403/u,
    patience: { newKey: 300 },
    withToken: true,
    change: unknownKey,
  },
];
