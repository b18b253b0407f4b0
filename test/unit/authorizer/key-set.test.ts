import type { RequestListener } from "node:http";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { bearerVerifier } from "../../../lib/authorizer/bearer-token.ts";
import { publishedLines } from "../../support/published-lines.ts";
import {
  goodClaims,
  goodHeader,
  json,
  newSigningKey,
  publicJwk,
  startWatchedServer,
  tokenOf,
  type WatchedServer,
} from "../../support/service/tokens.ts";

const [first, second, imposter] = [
  newSigningKey("RS256", "first"),
  newSigningKey("ES256", "second"),
  newSigningKey("RS256", "first"),
];
const issuer = "https://issuer.example";
const audience = "assay";
const [oneSecond, minute, hour] = [1000, 60_000, 3_600_000];

const keys = (...keyPairs: (typeof first)[]): RequestListener => json({ keys: keyPairs.map(publicJwk) });
const token = (key = first, kid = key.kid): string =>
  tokenOf(
    { ...goodHeader(key), kid },
    { ...goodClaims({ issuer, audience }), exp: Date.now() / 1000 + 60 * 86_400 },
    key,
  );

const user = expect.objectContaining({ kind: "user" }) as unknown;
const invalid = { kind: "refused", detail: "Invalid token." };
const unavailable = { kind: "unavailable" };

let server: WatchedServer;
let now: number;
let verify: ReturnType<typeof bearerVerifier>;

const verifierOf = (uri: string) => bearerVerifier([{ issuer, audiences: [audience], jwksUri: uri }], () => now);

beforeEach(async () => {
  now = Date.now();
  server = await startWatchedServer(keys(first));
  verify = verifierOf(`${server.url}/keys`);
});
afterEach(() => server.close());

const elsewhere = await startWatchedServer(keys(first));
afterAll(() => elsewhere.close());

describe("the keys of the issuer", () => {
  test("are fetched once for many concurrent tokens and for many later ones", async () => {
    const together = await Promise.all(Array.from({ length: 50 }, () => verify(token())));
    now += 9 * minute;

    expect([...together, await verify(token())]).toEqual(Array.from({ length: 51 }, () => user));
    expect(server.requests).toEqual(["/keys"]);
  });

  test("are not fetched for a value that is no token of the issuer", async () => {
    const foreign = tokenOf(goodHeader(first), { ...goodClaims({ issuer: "x", audience }) }, first);

    expect(await Promise.all(["x", "a.b.c", foreign].map(verify))).toEqual([invalid, invalid, invalid]);
    expect(server.requests).toEqual([]);
  });

  test("are fetched again once a minute at most when a key is unknown", async () => {
    await verify(token());
    for (let second = 0; second < 300; second += 1) {
      now += oneSecond;
      expect(await verify(token(first, `invented-${second}`))).toEqual(invalid);
    }

    expect(server.requests).toHaveLength(1 + 5);
  });

  test("may gain a new key, which is known within a minute", async () => {
    await verify(token());
    server.serve(keys(first, second));
    now += 59_999;
    expect(await verify(token(second))).toEqual(invalid);
    now += 1;

    expect(await verify(token(second))).toEqual(user);
    expect(server.requests).toHaveLength(2);
  });

  test("are forgotten within ten minutes once the issuer withdraws them", async () => {
    await verify(token());
    server.serve(keys(second));
    now += 10 * minute;

    expect(await verify(token())).toEqual(invalid);
    expect(await verify(token(second))).toEqual(user);
  });

  test("may change under the same key id", async () => {
    await verify(token());
    expect(await verify(token(imposter))).toEqual(invalid);
    server.serve(keys(imposter));
    now += 10 * minute;

    expect(await verify(token(imposter))).toEqual(user);
    expect(await verify(token())).toEqual(invalid);
  });

  test("count once per key id: the first of two is used", async () => {
    server.serve(keys(first, imposter));

    expect(await verify(token(imposter))).toEqual(invalid);
    expect(await verify(token())).toEqual(user);
  });

  test("may be listed among unusable keys", async () => {
    const odd = [null, "key", 7, { kid: "first" }, { kty: "OKP", kid: "first", crv: "Ed25519", x: "A" }];
    server.serve(json({ keys: [...odd, { ...publicJwk(imposter), use: "enc" }, publicJwk(first)], more: true }));

    expect(await verify(token())).toEqual(user);
  });

  test("that cannot be read as keys verify nothing and break nothing", async () => {
    const { kty, kid } = publicJwk(first);
    for (const broken of [
      { kty, kid },
      { ...publicJwk(first), n: "!" },
      { ...publicJwk(first), e: "" },
    ]) {
      server.serve(json({ keys: [broken] }));
      now += hour;
      expect(await verify(token())).toEqual(invalid);
    }
  });
});

describe("an unavailable issuer", () => {
  const failures: readonly (readonly [string, RequestListener])[] = [
    ["closes the connection", (request) => request.socket.destroy()],
    ["answers 500", json({ keys: [publicJwk(second)] }, 500)],
    ["answers 404", json({}, 404)],
    ["answers 204", (_request, response) => response.writeHead(204).end()],
    ["answers with a page", (_request, response) => response.end("<html></html>")],
    ["answers with a list", json([])],
    ["answers with keys that are no list", json({ keys: "first" })],
    ["answers with bytes that are no text", (_request, response) => response.end(Buffer.from([0xff, 0xfe, 0x00]))],
    ["answers with half a document", (_request, response) => response.end('{"keys":[')],
    [
      "breaks off in the middle",
      (_request, response) => {
        response.writeHead(200, { "content-length": 1000 });
        response.write("{", () => response.destroy());
      },
    ],
    ["answers with more than 256 KB", json({ keys: [publicJwk(second)], padding: "x".repeat(262_144) })],
    [
      "answers without end",
      (_request, response) => {
        const more = (): void => {
          while (!response.destroyed && response.write("x".repeat(65_536)));
          response.once("drain", more);
        };
        more();
      },
    ],
    ["leads elsewhere", (_request, response) => response.writeHead(302, { location: `${elsewhere.url}/stolen` }).end()],
    [
      "leads elsewhere for good",
      (_request, response) => response.writeHead(308, { location: `${elsewhere.url}/stolen` }).end(),
    ],
  ];

  test.each(failures)("%s: known keys stay valid, new keys wait", async (_name, fail) => {
    expect(await verify(token())).toEqual(user);
    server.serve(fail);
    now += hour;

    expect(await verify(token())).toEqual(user);
    expect(await verify(token(second))).toEqual(unavailable);
    expect(elsewhere.requests).toEqual([]);
    expect(server.requests).toHaveLength(2);
  });

  test.each(failures)("%s: without keys nothing can be verified", async (_name, fail) => {
    server.serve(fail);
    expect(await verify(token())).toEqual(unavailable);
    expect(await verify(token())).toEqual(unavailable);
    expect(server.requests).toHaveLength(1);
    server.serve(keys(first));
    now += oneSecond;

    expect(await verify(token())).toEqual(user);
    expect(elsewhere.requests).toEqual([]);
  });

  test("is not waited for longer than 3 seconds", async () => {
    await verify(token());
    server.serve(() => undefined);
    now += hour;
    const startedAt = performance.now();

    expect(await Promise.all([verify(token()), verify(token(second))])).toEqual([user, unavailable]);
    // The request itself would never end.
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(await verify(token())).toEqual(user);
    expect(server.requests).toHaveLength(2);
  });

  test("is tolerated for 24 hours, with one request a minute, and not for longer", async () => {
    await verify(token());
    await server.close();
    for (let hours = 0; hours < 23; hours += 1) {
      now += hour;
      expect(await verify(token())).toEqual(user);
    }
    now += hour - 1;
    expect(await verify(token())).toEqual(user);
    now += 1;

    expect(await verify(token())).toEqual(unavailable);
  });

  test("gets one request a minute, however many tokens come", async () => {
    await verify(token());
    server.serve(json({}, 503));
    now += hour;
    for (let second = 0; second < 120; second += 1) {
      await verify(token());
      now += oneSecond;
    }

    expect(server.requests).toHaveLength(1 + 2);
  });

  test("is counted for each failed request, without the text of its response", async () => {
    server.serve(json({ secret: "of the issuer" }, 503));

    const { lines } = await publishedLines(async () => verify(token()));

    expect(lines).toMatchObject([{ event: "key_set_unavailable", KeySetUnavailable: 1, fault: "Error" }]);
    expect(JSON.stringify(lines)).not.toContain("of the issuer");
  });

  test("that never was available: nothing is thrown", async () => {
    await server.close();

    expect(await verify(token())).toEqual(unavailable);
    expect(await verifierOf("no address at all")(token())).toEqual(unavailable);
  });
});
