/** Maximum length of an e-mail address (RFC 3696, errata 1690). */
export const maxEmailLength = 320;

/** Characters allowed on either side of the `@`: no invisible ones, and none that mail programs treat as syntax. */
const part = String.raw`[^\s@\p{C}<>"\(\),:;\\\[\]]+`;

/** Pattern of an e-mail address in the form that JSON Schema needs. */
export const addressPattern = `${part}@${part}`;

const form = new RegExp(`^${addressPattern}$`, "u");

/** True if a text is an e-mail address that is its own NFKC form: other addresses may look like a different address. */
export const isEmailAddress = (text: string): boolean =>
  text.length <= maxEmailLength && form.test(text) && text.normalize("NFKC") === text;

/**
 * Returns the form in which e-mail addresses are compared: trimmed, with A to Z in lower case. Other letters keep
 * their case, because folding them would make two addresses equal.
 */
export const comparableEmail = (email: string): string =>
  email.trim().replaceAll(/[A-Z]/gu, (letter) => letter.toLowerCase());
