import { hasKeyPrefix } from "./identity.ts";

/**
 * The credential in an `Authorization` header: an API key, with the name of a project if the sender gave one, or a
 * bearer token.
 */
export type Credential =
  | { readonly kind: "key"; readonly key: string; readonly project: string | null }
  | { readonly kind: "token"; readonly token: string };

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Decodes name and password of Basic authentication (RFC 7617); null if the text is malformed. */
const basicOf = (encoded: string): { readonly name: string; readonly password: string } | null => {
  try {
    const text = utf8.decode(Buffer.from(encoded, "base64"));
    const at = text.indexOf(":");
    return at === -1 ? null : { name: text.slice(0, at), password: text.slice(at + 1) };
  } catch {
    return null;
  }
};

/**
 * Parses an `Authorization` header. An API key comes as `Bearer <key>`, or as the password of Basic authentication,
 * whose user name is then the name of a project, or empty.
 *
 * @returns null if the header has no credential.
 */
export const credentialIn = (authorization: string): Credential | null => {
  const [, scheme = "", value = ""] = /^(bearer|basic) (\S+)$/i.exec(authorization) ?? [];
  if (scheme.toLowerCase() === "bearer")
    return hasKeyPrefix(value) ? { kind: "key", key: value, project: null } : { kind: "token", token: value };
  const basic = scheme === "" ? null : basicOf(value);
  if (basic === null) return null;
  return { kind: "key", key: basic.password, project: basic.name === "" ? null : basic.name };
};
