/** True if a content type matches one of the API's binary media types, in which `*` is a wildcard for the type or subtype. */
export const isBinary = (contentType: string | undefined, binaryMediaTypes: readonly string[]): boolean => {
  if (binaryMediaTypes.includes("*/*")) return true;
  const [type, subtype] = (contentType ?? "").split(/[;,]/)[0]?.trim().toLowerCase().split("/") ?? [];
  return binaryMediaTypes.some((pattern) => {
    const [patternType, patternSubtype] = pattern.toLowerCase().split("/");
    return patternType === type && (patternSubtype === "*" || patternSubtype === subtype);
  });
};
