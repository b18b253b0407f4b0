import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { codingOf, compressed } from "../../../lib/http/documents/compression.ts";
import { preconditionOf, tagOfIdentity, tagOfText } from "../../../lib/http/documents/entity-tag.ts";
import { FixedText } from "../../../lib/http/documents/fixed-text.ts";

describe("the content coding of a streamed reply", () => {
  test.each([
    [[], null],
    [["identity"], null],
    [["gzip"], "gzip"],
    [["br"], "br"],
    [["gzip, deflate, br, zstd"], "br"],
    [["gzip", "br"], "br"],
    [["GZIP;q=1.0, br;q=0.5"], "gzip"],
    [["gzip;q=0.2, br ; Q = 0.1"], "gzip"],
    [["gzip;q=0, br;q=0"], null],
    [["*"], "br"],
    [["*;q=0"], null],
    [["br;q=0, *"], "gzip"],
    [["identity, gzip;q=0.5"], null],
    [["zstd"], null],
    [["gzip;level=9;q=0.3"], "gzip"],
    [["gzip;q=none"], "gzip"],
    [[",,;q=1"], null],
  ])("for Accept-Encoding %j is %s", (accepted, expected) => {
    expect(codingOf(accepted)).toBe(expected);
  });
});

describe("If-None-Match", () => {
  const tag = tagOfText("a");

  test.each([
    [[tag], true],
    [[tag.slice(2)], true],
    [[`"x", ${tag}`], true],
    [['"x"', tag], true],
    [['"x"'], false],
    [[tag.slice(2).replaceAll('"', "")], false],
    [["*"], false],
    [[], false],
  ])("%j matches a known ETag: %s", (headerValue, expected) => {
    expect(preconditionOf(headerValue).has(tag)).toBe(expected);
  });

  test("of a star matches any existing resource", () => {
    expect(preconditionOf([" * "])).toMatchObject({ isWildcard: true, hasTags: false });
    expect(preconditionOf(['"*"'])).toMatchObject({ isWildcard: false, hasTags: true });
  });
});

test("an ETag is weak, and differs for another text or identity", () => {
  const tags = [
    tagOfText("a"),
    tagOfText("b"),
    tagOfIdentity(["a", 1]),
    tagOfIdentity(["a", 2]),
    tagOfIdentity(["a1"]),
  ];

  expect(new Set(tags).size).toBe(tags.length);
  for (const tag of tags) expect(tag).toMatch(/^W\/"[A-Za-z0-9_-]{22}"$/u);
  expect(tagOfIdentity(["a", 1])).toBe(tags[2]);
});

test("a text that is sent often is compressed once, and decompresses to the same text", async () => {
  const text = "é, and again, ".repeat(1_000);
  const fixed = new FixedText(text);

  expect(await fixed.compressedAs("br")).toBe(await fixed.compressedAs("br"));
  expect(brotliDecompressSync(await fixed.compressedAs("br")).toString()).toBe(text);
  expect(gunzipSync(await fixed.compressedAs("gzip")).toString()).toBe(text);
  expect(brotliDecompressSync(await compressed(text, "br")).toString()).toBe(text);
  expect(fixed.bytes).toBe(Buffer.byteLength(text));
});
