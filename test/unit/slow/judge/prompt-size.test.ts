import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { getEncoding } from "js-tiktoken";
import { describe, expect, test } from "vitest";
import { systemMessage } from "../../../../lib/judge/question/ask-model.ts";
import { promptTokenHistory, sizeOfBytes, sizeOfText, sumOfSizes } from "../../../../lib/judge/spending/prompt-size.ts";
import { generateTrace } from "../../../bench/generate-trace.ts";
import { seeded } from "../../../support/random.ts";

const root = join(import.meta.dirname, "../../../..");
const encodings = [getEncoding("o200k_base"), getEncoding("cl100k_base")];

/** Tokens of a text in the tokenizer that makes more of it. */
const tokensOf = (text: string): number => Math.max(...encodings.map((each) => each.encode(text, [], []).length));

const filesOf = (folder: string, ending: string): readonly string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => readFileSync(join(root, folder, name), "utf8"));

const random = seeded(34);
const signs = (alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[random.below(alphabet.length)]).join("");

/** Texts of traces by kind: recorded telemetry, generated traces, code, documents, scripts, and what is hard to merge. */
const texts: Readonly<Record<string, readonly string[]>> = {
  telemetry: filesOf("test/fixtures/integrations", ".json"),
  traces: Array.from({ length: 8 }, (_, index) =>
    JSON.stringify(
      generateTrace(() => random.next(), `trace ${index}`, 0),
      null,
      1,
    ).slice(0, 20_000),
  ),
  code: filesOf("lib/judge/spending", ".ts"),
  documents: [systemMessage, ...filesOf("lib/store/spend", ".md"), ...filesOf("docs", ".md")],
  Japanese: ["ご注文の商品は月曜日に発送されました。キャンセルはマイページからお手続きください。"],
  Chinese: ["订单已经发货预计明天到达请确认收货地址如果您需要更改请联系客服"],
  Korean: ["주문하신 상품이 월요일에 발송되었습니다. 취소를 원하시면 마이페이지에서 진행해 주세요."],
  Cyrillic: ["Ваш заказ был отправлен в понедельник. Если вы хотите отменить его, свяжитесь с нами."],
  Greek: ["Η παραγγελία σας στάλθηκε τη Δευτέρα. Αν θέλετε να την ακυρώσετε επικοινωνήστε μαζί μας."],
  Arabic: ["تم شحن طلبك يوم الاثنين. إذا كنت ترغب في إلغائه، يرجى الاتصال بنا."],
  Hebrew: ["ההזמנה שלך נשלחה ביום שני. אם ברצונך לבטל אותה, צור איתנו קשר."],
  Hindi: ["आपका ऑर्डर सोमवार को भेज दिया गया है। यदि आप इसे रद्द करना चाहते हैं तो हमसे संपर्क करें।"],
  Thai: ["คำสั่งซื้อของคุณถูกจัดส่งเมื่อวันจันทร์ หากต้องการยกเลิกโปรดติดต่อเรา"],
  German: ["Die Großküchenausstattungslieferung wurde am Montag verschickt; die Überprüfung läuft."],
  emoji: ["🧾📦🚚👩🏽‍💻"],
  hexadecimal: [signs("0123456789abcdef", 1500)],
  digits: [signs("0123456789", 1500)],
  punctuation: [signs("!#$%&()*+,-./:;<=>?@[]^_{|}~", 1500)],
};

describe("the estimate by script", () => {
  test.each(Object.keys(texts))("has at least the tokens of a tokenizer: %s", (kind) => {
    const each = texts[kind] ?? [];
    expect(each.length).toBeGreaterThan(0);
    for (const text of each) {
      const long = text.repeat(Math.ceil(200 / text.length));
      expect(sizeOfText(long).estimate()).toBeGreaterThanOrEqual(tokensOf(long));
    }
  });

  test("with its allowance has at least the tokens of random base64 and of letters without words", () => {
    const promptTokens = promptTokenHistory(() => true)("openai/listed");
    for (const text of [
      signs("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 1500),
      signs("abcdefghijklmnopqrstuvwxyz", 1500),
    ]) {
      expect(promptTokens.atMost(sizeOfText(text))).toBeGreaterThanOrEqual(tokensOf(text));
    }
  });

  test("is at most twice the tokens of English and of traces", () => {
    for (const text of [...(texts["traces"] ?? []), systemMessage])
      expect(sizeOfText(text).estimate()).toBeLessThan(2 * tokensOf(text));
  });

  test("is never above a token per byte", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0x10ffff)), (codes) => {
        const text = String.fromCodePoint(...codes);
        const { bytes, estimate } = sizeOfText(text);
        expect(estimate()).toBeLessThanOrEqual(bytes);
      }),
    );
  });
});

describe("the tokens of a model's prompts", () => {
  const size = sizeOfText("The order was shipped on Monday. ".repeat(40));

  test("are bounded by bytes until a model without a known tokenizer has reported usage", () => {
    const promptTokens = promptTokenHistory(() => false)("openai/unknown");
    const before = promptTokens.atMost(size);
    promptTokens.record(size, 300);

    expect([before, promptTokens.atMost(size)]).toEqual([size.bytes, size.estimate()]);
  });

  test("rise with the worst report, up to a token per byte, and never fall", () => {
    const promptTokens = promptTokenHistory(() => true)("openai/listed");
    promptTokens.record(size, 1.2 * size.estimate());
    promptTokens.record(size, 10);
    const raised = promptTokens.atMost(size);
    promptTokens.record(size, size.bytes);

    expect(raised).toBe(Math.ceil(1.5 * size.estimate()));
    expect(promptTokens.atMost(size)).toBe(size.bytes);
  });

  test("of a part that is not known are its bytes", () => {
    const sum = sumOfSizes(size, sizeOfBytes(500));

    expect([sum.bytes, sum.estimate()]).toEqual([size.bytes + 500, size.estimate() + 500]);
  });
});
