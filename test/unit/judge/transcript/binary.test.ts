import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { withoutBinaryData, traceWithPictures } from "../../../../lib/judge/transcript/binary.ts";
import type { Json } from "../../../../lib/domain/json.ts";
import { span, trace } from "../fixtures.ts";

const png = `iVBORw0KGgo${randomBytes(90_000).toString("base64")}`;
const bytes = randomBytes(30_000).toString("base64");
/** Bytes as a fixed sequence without a pattern, from both ends of their range. */
const numbers = Array.from({ length: 1024 }, (_, index) => (index * index * 31 + index * 7 + (index >> 3)) % 256);
const pairs = numbers.map((value) => value.toString(16).padStart(2, "0"));
const hex = pairs.join("");
const dumpOf = (groupBytes: number, afterOffset: string, beforeText: string, afterText: string): string =>
  Array.from({ length: numbers.length / 16 }, (_, line) => {
    const lineDigits = pairs.slice(line * 16, line * 16 + 16).join("");
    const groups = lineDigits.match(new RegExp(`.{${2 * groupBytes}}`, "gu")) ?? [];
    return `${(line * 16).toString(16).padStart(8, "0")}${afterOffset} ${groups.join(" ")}${beforeText}..PNG...+ab.d...${afterText}`;
  }).join("\n");
const shownInput = (input: Parameters<typeof trace>[0]): unknown => withoutBinaryData(trace(input)).input;

describe("binary data in a trace", () => {
  test.each([
    ["a data URL", `data:image/png;base64,${png}`, "[image/png, 90,008 bytes, not shown]"],
    [
      "a data URL in a text",
      `See data:audio/wav;base64,${bytes} here`,
      "See [audio/wav, 30,000 bytes, not shown] here",
    ],
    [
      "a reference to Langfuse's media",
      "See @@@langfuseMedia:type=image/png|id=47DEQpj8HBSa-_TImW-5JC|source=base64_data_uri@@@ here",
      "See [image/png, not stored] here",
    ],
    ["a picture's base64", png, "[image/png, 90,008 bytes, not shown]"],
    ["any long base64", `Result: ${bytes}.`, "Result: [base64, 30,000 bytes, not shown]."],
    [
      "base64 in lines",
      `-----BEGIN-----\n${bytes.replace(/.{64}/gu, "$&\n")}\n-----END-----`,
      "-----BEGIN-----\n[base64, 30,000 bytes, not shown]\n-----END-----",
    ],
    [
      "base64 in lines with escaped breaks",
      `{"key":"-----BEGIN-----\\n${bytes.replace(/.{76}/gu, "$&\\n")}\\n-----END-----"}`,
      '{"key":"-----BEGIN-----\\n[base64, 30,394 bytes, not shown]\\n-----END-----"}',
    ],
  ])("is not shown: %s", (_, text, expected) => {
    expect(shownInput({ input: text })).toBe(expected);
  });

  test("is searched in megabytes without a break within a second of computing", () => {
    const text = randomBytes(3_000_000).toString("base64");
    const start = process.cpuUsage();

    expect(shownInput({ input: text })).toBe("[base64, 3,000,000 bytes, not shown]");

    expect(process.cpuUsage(start).user).toBeLessThan(1_000_000);
  });

  test.each<[string, Json, Json]>([
    ["digits in one run", `It is ${hex}.`, "It is [hex, 1,024 bytes, not shown]."],
    ["capital digits in lines", hex.toUpperCase().replace(/.{64}/gu, "$&\n").trim(), "[hex, 1,024 bytes, not shown]"],
    ["digits with spaces", `It is ${pairs.join(" ")}.`, "It is [hex, 1,024 bytes, not shown]."],
    ["digits with colons", pairs.join(":"), "[hex, 1,024 bytes, not shown]"],
    ["prefixed digits", `[${pairs.map((pair) => `0x${pair}`).join(", ")}]`, "[[hex, 1,024 bytes, not shown]]"],
    ["escapes", pairs.map((pair) => `\\x${pair}`).join(""), "[hex, 1,024 bytes, not shown]"],
    [
      "a dump by xxd",
      `It is\n${dumpOf(2, ":", "  ", "")}\nand ends.`,
      "It is\n[hex dump, 1,024 bytes, not shown]\nand ends.",
    ],
    ["a dump by hexdump", dumpOf(1, " ", "  |", "|"), "[hex dump, 1,024 bytes, not shown]"],
    ["an array of bytes", { data: numbers }, { data: "[bytes, 1,024 bytes, not shown]" }],
    ["a JavaScript buffer", { body: { type: "Buffer", data: numbers } }, { body: "[bytes, 1,024 bytes, not shown]" }],
    ["an indexed array", Object.fromEntries(numbers.entries()), "[bytes, 1,024 bytes, not shown]"],
    ["an array in a text", `Read ${JSON.stringify(numbers)}.`, "Read [bytes, 1,024 bytes, not shown]."],
    ["a picture's bytes", [137, 80, 78, 71, 13, 10, 26, 10, ...numbers], "[image/png, 1,032 bytes, not shown]"],
  ])("is not shown as hexadecimal digits or bytes: %s", (_, input, expected) => {
    expect(shownInput({ input })).toEqual(expected);
  });

  test.each<[string, Json]>([
    ["hashes", pairs.slice(0, 64).join("")],
    ["a long number", "1234567890".repeat(40)],
    ["ages", Array.from({ length: 300 }, (_, index) => 18 + (index % 70))],
    ["durations in a text", `[${Array.from({ length: 300 }, (_, index) => 40 + (index % 200)).join(", ")}]`],
    ["two-digit numbers", Array.from({ length: 300 }, (_, index) => 10 + (index % 90)).join(" ")],
    ["a table", Array.from({ length: 40 }, (_, index) => `${10000 + index} 12 34 56 78 rain`).join("\n")],
  ])("is not mistaken for data: %s", (_, input) => {
    expect(shownInput({ input })).toEqual(input);
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
    ["the hexadecimal digits of a hash", randomBytes(64).toString("hex")],
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
