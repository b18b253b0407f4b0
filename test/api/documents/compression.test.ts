import { randomUUID } from "node:crypto";
import { beforeAll, expect, inject, test } from "vitest";
import { createTrace, getTrace } from "../../../lib/contract/traces/traces.ts";
import { newProject } from "../../support/service/client.ts";
import { rawReply } from "../../support/service/raw-reply.ts";

const service = inject("service");
const client = newProject(service);

let trace = "";
let styleSheet = "";
beforeAll(async () => {
  const started_at = "2026-10-01T00:00:00.000000+00:00";
  const spans = Array.from({ length: 200 }, (_, index) => ({
    name: `é ${index}`,
    started_at,
    input: "word ".repeat(50),
  }));
  const body = { name: "a", started_at, session_id: "s", spans };
  ({ trace_id: trace } = await client.answer(createTrace, { body }));
  const { text } = await rawReply(service, "/console", {});
  styleSheet = /console\/assets\/style-\w+\.css/u.exec(text)?.[0] ?? "";
});

const ask = (path: string, accepted: string | undefined, method = "GET") =>
  rawReply(service, path, { ...client.headers, "Accept-Encoding": accepted, "X-Request-ID": "same" }, method);

const pathOf = (document: string): string =>
  ({
    trace: `/traces/${trace}`,
    skeleton: `/traces/${trace}?fields=skeleton`,
    "console's style sheet": `/${styleSheet}`,
  })[document] ?? document;

test.each(["trace", "skeleton", "/sessions/s", "/docs", "console's style sheet", "/openapi.json"])(
  "a streamed document is compressed by the encoding that its reader prefers: %s",
  async (document) => {
    const path = pathOf(document);
    const plain = await ask(path, undefined);
    const replies = await Promise.all(
      ["gzip, deflate, br", "gzip", "br;q=0.5, gzip;q=0.1", "identity", "zstd"].map((each) => ask(path, each)),
    );

    expect(replies.map(({ headers }) => headers["content-encoding"])).toEqual([
      "br",
      "gzip",
      "br",
      undefined,
      undefined,
    ]);
    for (const { text, headers } of replies) {
      expect(text).toBe(plain.text);
      expect(headers["etag"]).toBe(plain.headers["etag"]);
      expect(headers["vary"]).toContain("Accept-Encoding");
    }
    expect(replies.slice(0, 3).every(({ bytes }) => bytes.length < 0.4 * plain.bytes.length)).toBe(true);
  },
);

test.each(["/evaluations/trace-metrics", "/prices"])(
  "a reply that is not streamed is compressed by the gateway: %s",
  async (path) => {
    const plain = await ask(path, undefined);
    const replies = await Promise.all(
      ["gzip", "deflate", "gzip, deflate, br", "br, gzip;q=0.9", "*"].map((each) => ask(path, each)),
    );

    expect(plain.bytes.length).toBeGreaterThan(1_024);
    expect(replies.map(({ headers }) => headers["content-encoding"])).toEqual([
      "gzip",
      "deflate",
      "gzip",
      undefined,
      undefined,
    ]);
    for (const { text, bytes, headers } of replies) {
      expect([text, headers["etag"]]).toEqual([plain.text, plain.headers["etag"]]);
      expect(Number(headers["content-length"])).toBe(bytes.length);
    }
  },
);

test.each(["/health", "/traces/no-id"])("a short reply is not compressed: %s", async (path) => {
  const { bytes, headers } = await ask(path, "gzip, br");

  expect(headers["content-encoding"]).toBeUndefined();
  expect(bytes.length).toBeLessThan(1_024);
});

test.each(["application/json", "application/json, text/plain", "text/html", "*/*"])(
  "the Accept header has no effect on compression: %s",
  async (Accept) => {
    const headers = { ...client.headers, Accept, "Accept-Encoding": "gzip" };
    const replies = await Promise.all(["/prices", `/traces/${trace}`].map((path) => rawReply(service, path, headers)));

    for (const reply of replies) {
      expect(reply.headers["content-encoding"]).toBe("gzip");
      expect(() => JSON.parse(reply.text)).not.toThrow();
    }
  },
);

test("the reply to a HEAD names the encoding of the GET", async () => {
  const [streamed, buffered] = [await ask(`/traces/${trace}`, "br", "HEAD"), await ask("/prices", "gzip", "HEAD")];

  expect([streamed.headers["content-encoding"], buffered.headers["content-encoding"]]).toEqual(["br", "gzip"]);
  expect([streamed.bytes.length, buffered.bytes.length]).toEqual([0, 0]);
});

test("a trace that has changed is compressed again", async () => {
  const { headers } = await client.call(getTrace, { params: { trace_id: trace } });
  const { status, text } = await rawReply(service, `/traces/${trace}`, {
    ...client.headers,
    "Accept-Encoding": "br",
    "If-None-Match": '"of another version"',
  });

  expect([status, JSON.parse(text).spans.length]).toEqual([200, 200]);
  expect(headers["content-encoding"]).toBeUndefined();
});

test("an uncompressed stream has no broken character, wherever it is divided", async () => {
  const started_at = "2026-10-01T00:00:00.000000+00:00";
  // Two UTF-16 units each: the second text is shifted by one unit, so that in one of the two a chunk ends within a character.
  const inputs = ["", "x"].map((before) => `${before}${"\u{1f308}".repeat(80_000)}`);
  const bodies = inputs.map((input, index) => {
    const spans = [{ span_id: randomUUID(), name: "a", started_at, input }];
    return { trace_id: randomUUID(), name: "a", started_at, session_id: `whole-${index}`, spans };
  });
  for (const body of bodies) await client.answer(createTrace, { body });

  for (const { trace_id: id, session_id: session, spans } of bodies)
    for (const { span_id: span, input } of spans)
      for (const path of [`/traces/${id}`, `/traces/${id}/spans/${span}`, `/sessions/${session}`]) {
        const { text } = await ask(path, undefined);
        expect({ path, isWhole: text.includes(`"${input}"`) }).toEqual({ path, isWhole: true });
      }
});
