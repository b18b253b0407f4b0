/** Kinds of personal texts that are recognised by their form. */
export const maskingPresets = ["email", "iban", "card", "phone"] as const;

type MaskingPreset = (typeof maskingPresets)[number];

/** Start and end of a recognised text. */
type Range = readonly [from: number, to: number];

/** Finds texts of a preset: every quantifier is bounded, so that the time is linear in a text's length whatever it has. */
interface Recognizer {
  /** Matches where such a text may be; global. */
  readonly hint: RegExp;
  /** Returns the range of the text at a match, which begins behind the match before, at `from` or later; null if there is none. */
  readonly rangeAt: (text: string, match: RegExpExecArray, from: number) => Range | null;
}

const isDigit = (code: number): boolean => /^\p{Nd}$/u.test(String.fromCodePoint(code));

/** Values of digits other than ASCII that were met; Unicode has fewer than 1,000. */
const digitValues = new Map<string, string>();

/** Returns the ASCII form of a digit. The digits of a script follow each other, some scripts immediately behind another one's. */
const asciiDigit = (digit: string): string => {
  const cachedValue = digitValues.get(digit);
  if (cachedValue !== undefined) return cachedValue;
  const code = digit.codePointAt(0) ?? 0;
  let start = code;
  while (isDigit(start - 1)) start -= 1;
  const value = String((code - start) % 10);
  digitValues.set(digit, value);
  return value;
};

/** Returns a text with digits of any script in ASCII. */
const withAsciiDigits = (text: string): string =>
  /[^\p{ASCII}]/u.test(text) ? text.replaceAll(/\p{Nd}/gu, asciiDigit) : text;

/** Returns the digits of a text of any script in ASCII. */
const digitsOf = (text: string): string => withAsciiDigits(text).replaceAll(/\D/g, "");

const space = String.raw`[ \u00a0\u2007\u2009\u202f\-\u2010-\u2013]`;
const [noWordBefore, noWordAfter] = [String.raw`(?<![A-Za-z\p{N}])`, String.raw`(?![A-Za-z\p{N}])`];

/** Signs of the part of an address before the `@`; `=` and `&` separate parameters of URLs. */
const localSign = /[\p{Script=Latin}\p{M}0-9._%+'-]/u;
const localLetter = /[\p{L}\p{M}\p{N}._%+'\-\ud800-\udfff]/u;
const asciiDomain = /(?:[A-Za-z0-9][A-Za-z0-9-]{0,62}\.){1,20}(?:xn--[A-Za-z0-9-]{1,59}|[A-Za-z]{2,63})/y;
const domain = /(?:[\p{L}\p{M}\p{N}-]{1,63}[.\u3002\uff0e]){1,20}[\p{L}\p{M}]{2,63}/uy;
/** Names of pictures for screens of other densities, such as `logo@2x.png`. */
const density = /^\dx\./;

const email: Recognizer = {
  hint: /[@\uff20]|%40/g,
  rangeAt: (text, match, from) => {
    const sign = localSign.test(text[match.index - 1] ?? "") ? localSign : localLetter;
    let start = match.index;
    while (start > from && sign.test(text[start - 1] ?? "")) start -= 1;
    while (start < match.index && /[.'%-]/.test(text[start] ?? "")) start += 1;
    if (start === match.index) return null;
    const domainStart = match.index + match[0].length;
    for (const form of [asciiDomain, domain]) {
      form.lastIndex = domainStart;
      const host = form.exec(text)?.[0];
      if (host !== undefined) return density.test(host) ? null : [start, domainStart + host.length];
    }
    return null;
  },
};

/** Lengths of the account numbers of the countries in the IBAN registry. */
const ibanLengths: ReadonlyMap<string, number> = new Map(
  (
    "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BI27BR29BY28CH21CR22CY28CZ24DE22DJ27DK18DO28EE20EG29ES24FI18FK18FO18FR27GB22GE22GI23GL18" +
    "GR27GT28HN28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19MN20MR27MT31MU30NI28NL18NO15" +
    "OM23PK24PL28PS29PT25QA29RO24RS22RU33SA24SC31SD18SE24SI19SK24SM27SO23ST25SV28TL23TN24TR26UA29VA22VG24XK20YE30"
  )
    .match(/.{4}/g)
    ?.map((entry) => [entry.slice(0, 2), Number(entry.slice(2))] as const),
);

/** True for an account number whose check digits are right (ISO 13616): as a number, letters from 10 to 35, it leaves 1 divided by 97. */
const hasIbanCheck = (iban: string): boolean => {
  let rest = 0;
  for (const sign of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(sign, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
};

/** Matches an account number of a length, in groups of four or without spaces. */
const ibanForm = (length: number): RegExp => {
  const sign = String.raw`[A-Za-z\p{Nd}]`;
  const rest = length % 4 === 0 ? "" : `${space}?${sign}{${length % 4}}`;
  return new RegExp(`${sign}{4}(?:${space}?${sign}{4}){${Math.floor(length / 4) - 1}}${rest}(?!${sign})`, "uy");
};

const ibanForms = new Map(Array.from(new Set(ibanLengths.values()), (length) => [length, ibanForm(length)]));

const iban: Recognizer = {
  hint: new RegExp(String.raw`${noWordBefore}[A-Za-z]{2}\p{Nd}{2}`, "gu"),
  rangeAt: (text, { 0: start, index }) => {
    const form = ibanForms.get(ibanLengths.get(start.slice(0, 2).toUpperCase()) ?? 0);
    if (form === undefined) return null;
    form.lastIndex = index;
    const account = form.exec(text)?.[0];
    if (account === undefined || !hasIbanCheck(withAsciiDigits(account).replaceAll(/[^A-Za-z0-9]/g, ""))) return null;
    return [index, index + account.length];
  },
};

/** Beginnings and lengths of the numbers that card networks issue. */
const cardNumber = /^(?:3[0689]\d{12}|3[47]\d{13}|35\d{14,17}|(?:4\d|5[0-8]|6\d|2[2-7])\d{14,17})$/;

/** True for a number of a card network with the right check digit (ISO 7812: Luhn's). */
const isCard = (digits: string): boolean => {
  if (!cardNumber.test(digits)) return false;
  let sum = 0;
  for (let place = 1; place <= digits.length; place += 1) {
    const digit = Number(digits.at(-place)) * (place % 2 === 0 ? 2 : 1);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
};

const lastGroup = new RegExp(String.raw`${space}\p{Nd}{1,3}$`, "u");

const card: Recognizer = {
  hint: new RegExp(
    // Digits behind a decimal point are none, and neither are those before one.
    String.raw`${noWordBefore}(?<!\p{Nd}[.,])(?:\p{Nd}{14,19}|\p{Nd}{4}(${space})\p{Nd}{4}\1\p{Nd}{4}\1\p{Nd}{4}(?:\1\p{Nd}{1,3})?|\p{Nd}{4}(${space})\p{Nd}{6}\2\p{Nd}{4,5})${noWordAfter}(?![.,]\p{Nd})`,
    "gu",
  ),
  rangeAt: (_text, { 0: match, index }) => {
    // A short group behind 16 digits may be another number.
    const number = [match, match.replace(lastGroup, "")].find((each) => isCard(digitsOf(each)));
    return number === undefined ? null : [index, index + number.length];
  },
};

const phoneGap = String.raw`[ \u00a0\u2009\u202f\-\u2010-\u2013./()]{0,3}`;

const phone: Recognizer = {
  hint: new RegExp(
    String.raw`(?<![A-Za-z\p{N}+\uff0b])[+\uff0b](?=[\p{Nd}(])(?:${phoneGap}\p{Nd}){9,15}(?![.,]?\p{N})` +
      String.raw`|(?<![\w.+\-])(?:1[ .\-])?(?:\([2-9]\d\d\) ?|[2-9]\d\d-)[2-9]\d\d-\d{4}(?![\w\-])`,
    "gu",
  ),
  rangeAt: (_text, { 0: match, index }) => {
    // No country's code begins with 0, and an amount may end with two decimals.
    const isNumber = digitsOf(match)[0] !== "0" && !/[.]\p{Nd}{1,2}$/u.test(match);
    return isNumber ? [index, index + match.length] : null;
  },
};

const recognizers: Readonly<Record<MaskingPreset, Recognizer>> = { email, iban, card, phone };

/** Replaces the texts of a preset in a text. */
const maskPreset = (text: string, { hint, rangeAt }: Recognizer, mark: string): string => {
  const kept: string[] = [];
  let [from, searched] = [0, 0];
  hint.lastIndex = 0;
  for (let match = hint.exec(text); match !== null; match = hint.exec(text)) {
    const range = rangeAt(text, match, searched);
    searched = match.index + match[0].length;
    if (range === null) {
      // Half of a code point would match it again.
      hint.lastIndex = match.index + ((text.codePointAt(match.index) ?? 0) > 0xff_ff ? 2 : 1);
      continue;
    }
    kept.push(text.slice(from, range[0]), mark);
    from = range[1];
    searched = from;
    hint.lastIndex = from;
  }
  return from === 0 ? text : kept.join("") + text.slice(from);
};

/** Replaces in a text what presets recognise, in the order of `maskingPresets`. @param markOf returns the text in its place. */
export const maskPresets = (text: string, presets: readonly string[], markOf: (preset: string) => string): string =>
  presets.length === 0
    ? text
    : maskingPresets
        .filter((preset) => presets.includes(preset))
        .reduce((masked, preset) => maskPreset(masked, recognizers[preset], markOf(preset)), text);
