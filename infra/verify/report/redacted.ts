/** A text without what must not be printed: the credentials that were given, and whatever looks like an API key. */
export const redacting =
  (secrets: readonly (string | undefined)[]) =>
  (text: string): string =>
    secrets
      .filter((secret) => secret !== undefined && secret !== "")
      .reduce<string>((rest, secret) => rest.replaceAll(String(secret), "[secret]"), text)
      .replaceAll(/sk_as_[0-9a-f]{8,}/gu, "[secret]");
