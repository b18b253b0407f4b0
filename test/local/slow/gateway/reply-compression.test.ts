import { gunzipSync, inflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { compressedReply } from "../../../../infra/local/gateway/reply-compression.ts";

const body = "é".repeat(500);
const reply = { status: 200, headers: { "x-one": "1" }, body };
const codingFor = async (accepted: string, minimumSize: number | null = 1_000): Promise<unknown> =>
  (await compressedReply(reply, minimumSize, accepted)).headers["content-encoding"];

test.each([
  ["gzip", "gzip"],
  ["deflate", "deflate"],
  ["GZIP", "gzip"],
  ["gzip, deflate, br", "gzip"],
  ["deflate;q=0.5, gzip;q=0.6", "gzip"],
  ["gzip;q=0", undefined],
  ["identity, gzip", undefined],
  ["br, gzip", undefined],
  ["br;q=1, gzip;q=0.9", undefined],
  ["br;q=0.5, gzip", "gzip"],
  ["*", undefined],
  ["", undefined],
])("Accept-Encoding %j gets %s", async (accepted, expected) => {
  expect(await codingFor(accepted)).toBe(expected);
});

test("a reply shorter than the API's minimum size is not compressed", async () => {
  expect([await codingFor("gzip", 1_000), await codingFor("gzip", 1_001)]).toEqual(["gzip", undefined]);
  expect([await codingFor("gzip", 0), await codingFor("gzip", null)]).toEqual(["gzip", undefined]);
});

test("a reply that the function has encoded stays unchanged", async () => {
  const encoded = { ...reply, headers: { "content-encoding": "br" } };

  expect(await compressedReply(encoded, 0, "gzip")).toBe(encoded);
});

test("a compressed reply decompresses to the same body, and keeps its headers", async () => {
  const [zipped, deflated] = [await compressedReply(reply, 0, "gzip"), await compressedReply(reply, 0, "deflate")];

  expect(gunzipSync(zipped.body).toString()).toBe(body);
  expect(inflateSync(deflated.body).toString()).toBe(body);
  expect(zipped).toMatchObject({ status: 200, headers: { "x-one": "1" } });
});
