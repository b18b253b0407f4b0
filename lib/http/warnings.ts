/** Maximum number of texts in `X-Warnings`, and of characters of one of them. */
const [maxTexts, maxCharacters] = [5, 200];

/** Writes a text as a string of RFC 8941. Other characters than printable ASCII are percent-encoded. */
const quoted = (text: string): string =>
  JSON.stringify(
    text
      .toWellFormed()
      .replaceAll(/[^\x20-\x7e]/gu, encodeURIComponent)
      .slice(0, maxCharacters),
  );

/** Returns the header `X-Warnings`: a list of at most five texts, the last of which counts those left out. */
export const warningHeaders = (warnings: readonly string[]): Record<string, string> => {
  if (warnings.length === 0) return {};
  const surplus = warnings.length - maxTexts + 1;
  const texts = surplus > 1 ? [...warnings.slice(0, maxTexts - 1), `${surplus} more warnings.`] : warnings;
  return { "X-Warnings": texts.map(quoted).join(", ") };
};
