/** The longest address there is (RFC 3696, errata 1690). */
export const maxEmailLength = 320;

/** What stands on either side of the `@`: nothing that cannot be seen, and nothing that a mailer reads as something else. */
const part = String.raw`[^\s@\p{C}<>"\(\),:;\\\[\]]+`;

/** The form of an address, as JSON Schema has it. */
export const addressPattern = `${part}@${part}`;

const form = new RegExp(`^${addressPattern}$`, "u");

/**
 * Whether a text is an e-mail address that people can be told apart by: one that Unicode's normal form changes looks like
 * somebody else's.
 */
export const isAddress = (text: string): boolean =>
  text.length <= maxEmailLength && form.test(text) && text.normalize("NFKC") === text;

/**
 * An address as people are compared by it: without blanks around it, and A to Z in lower case. Other letters stay: folding
 * them makes one address of two.
 */
export const comparableEmail = (email: string): string =>
  email.trim().replaceAll(/[A-Z]/gu, (letter) => letter.toLowerCase());
