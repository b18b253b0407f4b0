import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { getEncoding } from "js-tiktoken";
import { describe, expect, test } from "vitest";
import { systemMessage } from "../../../../lib/judge/question/ask-model.ts";
import { sizeOfText } from "../../../../lib/judge/spending/prompt-size.ts";
import { loadTokenizers } from "../../../../lib/judge/spending/tokenizers.ts";
import { generateTrace } from "../../../bench/generate-trace.ts";
import { seeded } from "../../../support/random.ts";
import { hostileTexts } from "../../../support/runs/hostile-texts.ts";

const root = join(import.meta.dirname, "../../../..");
const encodings = [getEncoding("o200k_base"), getEncoding("cl100k_base")];

/** Tokens of a text in the tokenizer that makes more of it. */
const tokensOf = (text: string): number => Math.max(...encodings.map((each) => each.encode(text, [], []).length));

const filesOf = (folder: string, ending: string): readonly string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => readFileSync(join(root, folder, name), "utf8"));

const random = seeded(34);
const traces = Array.from({ length: 8 }, (_, index) =>
  JSON.stringify(
    generateTrace(() => random.next(), `trace ${index}`, 0),
    null,
    1,
  ).slice(0, 20_000),
);

/** Texts by kind: recorded telemetry, generated traces, code, documents, and what is hard to merge. */
const texts: Readonly<Record<string, readonly string[]>> = {
  telemetry: filesOf("test/fixtures/integrations", ".json"),
  traces,
  code: filesOf("lib/judge/spending", ".ts"),
  documents: [systemMessage, ...filesOf("lib/store/spend", ".md"), ...filesOf("docs", ".md")],
  ...Object.fromEntries(Object.entries(hostileTexts).map(([kind, text]) => [kind, [text]])),
};

const count = await loadTokenizers();

describe("the count of a text's tokens", () => {
  test.each(Object.keys(texts))("is that of the published tokenizer that makes more: %s", (kind) => {
    const each = texts[kind] ?? [];
    expect(each.length).toBeGreaterThan(0);
    for (const text of each) expect(count(text)).toBe(tokensOf(text));
  });

  test("is that of the published tokenizers for random texts, and at least as large as JSON", () => {
    const pieces = fc.constantFrom(...Object.values(hostileTexts), systemMessage, ...traces);
    const part = fc
      .tuple(pieces, fc.nat(3000), fc.integer({ min: 1, max: 40 }))
      .map(([text, from, length]) => text.slice(from % text.length, (from % text.length) + length));
    fc.assert(
      fc.property(fc.array(fc.oneof(part, fc.string({ unit: "binary" })), { maxLength: 6 }), (parts) => {
        const text = parts.join("").toWellFormed();
        expect(count(text)).toBe(tokensOf(text));
        expect(sizeOfText(text).tokens(count)).toBeGreaterThanOrEqual(count(text));
        expect(sizeOfText(text).tokens(count)).toBeLessThanOrEqual(sizeOfText(text).bytes);
      }),
    );
  });

  test.each(["a", " ", "\n", "xq", "ก", "\u0301", "\u200B", "1", "🏽"])(
    "of %j repeated takes a time that grows with its length",
    (sign) => {
      const seconds = (length: number): number => {
        const startedAt = process.cpuUsage();
        count(sign.repeat(length / sign.length));
        const { user, system } = process.cpuUsage(startedAt);
        return (user + system) / 1e6;
      };
      seconds(2000);

      // A merge that looks at all pairs each time would take hours.
      expect(seconds(200_000)).toBeLessThan(10);
    },
  );
});
