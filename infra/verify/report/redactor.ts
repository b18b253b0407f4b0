/** Returns a function that replaces secrets, and everything that looks like an API key, by `[secret]` in a text. */
export const redactor =
  (secrets: readonly (string | undefined)[]) =>
  (text: string): string =>
    secrets
      .filter((secret) => secret !== undefined && secret !== "")
      .reduce<string>((redactedText, secret) => redactedText.replaceAll(String(secret), "[secret]"), text)
      .replaceAll(/sk_as_[0-9a-f]{8,}/gu, "[secret]");
