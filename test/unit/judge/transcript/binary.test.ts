import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { withoutBinaryData, traceWithPictures } from "../../../../lib/judge/transcript/binary.ts";
import { span, trace } from "../fixtures.ts";

const png = `iVBORw0KGgo${randomBytes(90_000).toString("base64")}`;
const bytes = randomBytes(30_000).toString("base64");
const shownInput = (input: Parameters<typeof trace>[0]): unknown => withoutBinaryData(trace(input)).input;

describe("binary data in a trace", () => {
  test.each([
    ["a data URL", `data:image/png;base64,${png}`, "[image/png, 90,008 bytes, not shown]"],
    [
      "a data URL in a text",
      `See data:audio/wav;base64,${bytes} here`,
      "See [audio/wav, 30,000 bytes, not shown] here",
    ],
    ["a picture's base64", png, "[image/png, 90,008 bytes, not shown]"],
    ["any long base64", `Result: ${bytes}.`, "Result: [base64, 30,000 bytes, not shown]."],
    [
      "base64 in lines",
      `-----BEGIN-----\n${bytes.replace(/.{64}/gu, "$&\n")}\n-----END-----`,
      "-----BEGIN-----\n[base64, 30,000 bytes, not shown]\n-----END-----",
    ],
  ])("is not shown: %s", (_, text, expected) => {
    expect(shownInput({ input: text })).toBe(expected);
  });

  test.each(Array.from({ length: 62 }, (_, offset) => offset))("is found %i characters into a text", (offset) => {
    const before = " ".repeat(offset);
    const run = bytes.slice(0, 200);
    const lines = bytes.slice(0, 240).replace(/.{60}/gu, "$&\n");

    expect(shownInput({ input: `${before}${run} ${before}` })).toBe(
      `${before}[base64, 150 bytes, not shown] ${before}`,
    );
    expect(shownInput({ input: `${before}${lines}` })).toBe(`${before}[base64, 180 bytes, not shown]`);
  });

  test.each([
    [
      "OpenAI's image",
      { type: "image_url", image_url: { url: `data:image/jpeg;base64,${bytes}` } },
      { type: "image_url", image_url: { url: "[image/jpeg, 30,000 bytes, not shown]" } },
    ],
    [
      "Anthropic's image",
      { type: "image", source: { type: "base64", media_type: "image/webp", data: bytes } },
      {
        type: "image",
        source: { type: "base64", media_type: "image/webp", data: "[image/webp, 30,000 bytes, not shown]" },
      },
    ],
    [
      "Gemini's part",
      { inlineData: { mimeType: "image/heic", data: bytes } },
      { inlineData: { mimeType: "image/heic", data: "[image/heic, 30,000 bytes, not shown]" } },
    ],
    [
      "OpenAI's audio",
      { type: "input_audio", input_audio: { data: bytes, format: "mp3" } },
      { type: "input_audio", input_audio: { data: "[audio/mp3, 30,000 bytes, not shown]", format: "mp3" } },
    ],
  ])("is not shown in a message's part: %s", (_, part, expected) => {
    expect(shownInput({ input: [{ role: "user", content: [{ type: "text", text: "What is it?" }, part] }] })).toEqual([
      { role: "user", content: [{ type: "text", text: "What is it?" }, expected] },
    ]);
  });

  test("is not shown of a span either", () => {
    const { spans } = withoutBinaryData(
      trace({
        spans: [
          span("a", { output: [png], error: bytes, metadata: { body: bytes }, model_parameters: { image: png } }),
        ],
      }),
    );

    expect(JSON.stringify(spans).length).toBeLessThan(1000);
  });

  test.each([
    ["words", "word ".repeat(200)],
    ["one letter", "a".repeat(70_000)],
    ["a path", "/srv/app/node_modules/package/source/file".repeat(10)],
    ["hexadecimal digits", randomBytes(300).toString("hex")],
    ["a UUID and a key", `${"3f2b8c1e-0000-4000-8000-000000000001".repeat(1)} sk-test-${"a1B2".repeat(10)}`],
    ["another script", "日本語のとても長い文章。".repeat(40)],
    ["short base64", randomBytes(100).toString("base64")],
  ])("does not include %s", (_, text) => {
    expect(shownInput({ input: text })).toBe(text);
  });

  test("leaves all other values unchanged, numbers as they were written", () => {
    const sourceTrace = trace({ input: { id: JSON.rawJSON("9007199254740993"), list: [1, null, "x"] } });

    expect(withoutBinaryData(sourceTrace).input).toBe(sourceTrace.input);
  });
});

describe("a vector in a trace", () => {
  const vector = Array.from({ length: 1536 }, (_, index) => Math.sin(index + 1));

  test.each([
    ["a list", { data: [{ embedding: vector }] }, { data: [{ embedding: "[1,536 numbers, not shown]" }] }],
    ["JSON in a text", `found ${JSON.stringify(vector)} there`, "found [1,536 numbers, not shown] there"],
    ["a list in a log", `v = ${vector.join(", ")};`, "v = [1,536 numbers, not shown];"],
  ])("is not shown: %s", (_, input, expected) => {
    expect(shownInput({ input })).toEqual(expected);
  });

  test.each([
    ["readings", Array.from({ length: 200 }, (_, index) => index)],
    ["few numbers", vector.slice(0, 100)],
    ["rows", Array.from({ length: 200 }, (_, index) => [index, 0.5])],
    ["digits", "1".repeat(200_000)],
    ["blanks", `1.5${" ".repeat(200_000)},`],
  ])("is distinguished from other data: %s", (_, input) => {
    expect(shownInput({ input })).toEqual(input);
  });
});

describe("a picture in a trace", () => {
  const kindOf = { png: "iVBORw0KGgo", jpeg: "/9j/", gif: "R0lGOD" } as const;
  const picture = (kind: keyof typeof kindOf, bytes = 3000): string =>
    `${kindOf[kind]}${randomBytes(bytes + 9).toString("base64")}`.slice(0, (bytes / 3) * 4);

  test("is sent once beside the trace, with the number that replaces it in the text, as far as there is room", () => {
    const [first, second, third] = [picture("png"), picture("jpeg"), picture("gif")];
    const sourceTrace = trace({
      input: [{ type: "image_url", image_url: { url: `data:image/png;base64,${first}` } }],
      output: { type: "image", source: { type: "base64", media_type: "image/jpeg", data: second } },
      spans: [span("a", { input: { again: `data:image/png;base64,${first}`, more: third } })],
    });

    const withPictures = traceWithPictures(sourceTrace, 2);
    const unseen = traceWithPictures(sourceTrace, 0);

    expect(withPictures.pictures).toEqual([
      { type: "image/png", data: first },
      { type: "image/jpeg", data: second },
    ]);
    expect(withPictures.trace.input).toEqual([
      { type: "image_url", image_url: { url: "[image/png, 3,000 bytes, picture 1]" } },
    ]);
    expect(withPictures.trace.output).toMatchObject({ source: { data: "[image/jpeg, 3,000 bytes, picture 2]" } });
    expect(withPictures.trace.spans[0]?.input).toEqual({
      again: "[image/png, 3,000 bytes, picture 1]",
      more: "[image/gif, 3,000 bytes, not shown]",
    });
    expect(unseen).toEqual({ trace: withoutBinaryData(sourceTrace), pictures: [] });
  });

  test("is not sent when its format is unsupported, or when it is truncated or too large", () => {
    const none = ["AAAA", "UEsDBBQA"].map((start) => `data:image/png;base64,${start}${bytes}`);
    const cut = `data:image/png;base64,${picture("png").slice(0, -1)}`;
    const large = `data:image/png;base64,${picture("png", 3_900_000)}`;
    const three = Array.from({ length: 3 }, () => `data:image/png;base64,${picture("png", 3_600_000)}`);

    expect(traceWithPictures(trace({ input: [...none, cut, large] }), 8).pictures).toEqual([]);
    expect(traceWithPictures(trace({ input: three }), 8).pictures).toHaveLength(2);
  });
});
