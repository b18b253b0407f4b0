/** Whether a content type is one of the API's binary media types; `*` stands for either half. */
export const isBinary = (contentType: string | undefined, binaryMediaTypes: readonly string[]): boolean => {
  if (binaryMediaTypes.includes("*/*")) return true;
  const [type, subtype] = (contentType ?? "").split(/[;,]/)[0]?.trim().toLowerCase().split("/") ?? [];
  return binaryMediaTypes.some((pattern) => {
    const [wantedType, wantedSubtype] = pattern.toLowerCase().split("/");
    return wantedType === type && (wantedSubtype === "*" || wantedSubtype === subtype);
  });
};
