/**
 * Regular expression source of a score name in a condition: characters of operators and versions have a backslash before
 * them. A backslash before another character stands for itself. Each text has one match at most, so a name is read in one way.
 */
export const escapedNamePattern = String.raw`(?:[^<>=!\\]|\\[<>=!@\\]|\\(?![<>=!@\\]))+`;

/** Escapes a score name for a condition, so that each of its characters stands for itself. */
export const escapeScoreName = (name: string): string => name.replaceAll(/[<>=!@\\]/gu, String.raw`\$&`);

/** Reads a score name of a condition. @see escapeScoreName */
export const unescapeScoreName = (text: string): string => text.replaceAll(/\\([<>=!@\\])/gu, "$1");
