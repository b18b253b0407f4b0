import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { codingOf, compressed } from "../../../lib/http/documents/compression.ts";
import { preconditionOf, tagOfIdentity, tagOfText } from "../../../lib/http/documents/entity-tag.ts";
import { FixedText } from "../../../lib/http/documents/fixed-text.ts";

describe("the coding of a streamed reply", () => {
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
  ])("%j names a known tag: %s", (sent, expected) => {
    expect(preconditionOf(sent).has(tag)).toBe(expected);
  });

  test("of a star is of anything there is", () => {
    expect(preconditionOf([" * "])).toMatchObject({ hasAny: true, namesTags: false });
    expect(preconditionOf(['"*"'])).toMatchObject({ hasAny: false, namesTags: true });
  });
});

test("a tag is weak, and another for another text or identity", () => {
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

test("a text that is sent often is compressed once, and comes back whole", async () => {
  const text = "é, and again, ".repeat(1_000);
  const fixed = new FixedText(text);

  expect(await fixed.compressed("br")).toBe(await fixed.compressed("br"));
  expect(brotliDecompressSync(await fixed.compressed("br")).toString()).toBe(text);
  expect(gunzipSync(await fixed.compressed("gzip")).toString()).toBe(text);
  expect(brotliDecompressSync(await compressed(text, "br")).toString()).toBe(text);
  expect(fixed.bytes).toBe(Buffer.byteLength(text));
});
