/** Maximum length of an e-mail address (RFC 3696, errata 1690). */
export const maxEmailLength = 320;

/** Characters that neither side of the `@` may have: invisible ones, and those that mail programs treat as syntax. */
const excluded = String.raw`\s@\p{C}<>"\(\),:;\\\[\]`;

const form = new RegExp(`^[^${excluded}]+@[^${excluded}]+$`, "u");

/**
 * An e-mail address that can be invited: it does not begin as a formula of a spreadsheet, in which lists of members end up, and its
 * domain has a top level, which has a letter.
 */
const invitedForm = new RegExp(
  `^[^${excluded}=+\\-][^${excluded}]*@(?:[^${excluded}.]+\\.)+\\d*[^${excluded}.\\d][^${excluded}.]*$`,
  "u",
);

/** Scripts whose letters look like those of others, and the scripts of Chinese, Japanese and Korean, which are used together. */
const scripts: readonly RegExp[] = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Coptic}/u,
  /\p{Script=Georgian}/u,
  /\p{Script=Thai}/u,
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u,
];
const letter = /\p{L}/u;

/** True if the letters of a text are of more than one script, so that it may look like another text. */
const mixesScripts = (text: string): boolean => {
  const letters = Array.from(text).filter((character) => letter.test(character));
  const scriptOf = (character: string): number => scripts.findIndex((script) => script.test(character));
  return new Set(letters.map(scriptOf)).size > 1;
};

/** True if a text is an e-mail address that is its own NFKC form: other addresses may look like a different address. */
export const isEmailAddress = (text: string): boolean =>
  text.length <= maxEmailLength && form.test(text) && text.normalize("NFKC") === text;

/**
 * True if an address can be invited: an e-mail address with a top level that is no formula and mixes scripts neither before
 * the `@` nor within a label of its domain.
 */
export const isInvitedAddress = (text: string): boolean =>
  isEmailAddress(text) && invitedForm.test(text) && !text.split(/[@.]/u).some(mixesScripts);

/**
 * Returns the form in which e-mail addresses are compared: trimmed, with A to Z in lower case. Other letters keep
 * their case, because folding them would make two addresses equal.
 */
export const comparableEmail = (email: string): string =>
  email.trim().replaceAll(/[A-Z]/gu, (letter) => letter.toLowerCase());
