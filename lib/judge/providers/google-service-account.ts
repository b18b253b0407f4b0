import { createPrivateKey } from "node:crypto";
import { check, object, pipe, safeParse, string, url, type InferOutput } from "valibot";
import { parseJson } from "./reply.ts";

const isPrivateKey = (pem: string): boolean => {
  try {
    return createPrivateKey(pem).asymmetricKeyType === "rsa";
  } catch {
    return false;
  }
};

/** Schema of a service account's key file from Google's console. */
const keyFile = object({
  project_id: string(),
  client_email: string(),
  private_key_id: string(),
  private_key: pipe(string(), check(isPrivateKey)),
  token_uri: pipe(string(), url()),
});

/** Key of a Google service account. */
export type ServiceAccount = InferOutput<typeof keyFile>;

/** Reads a service account's key file; null when the text is not one. */
export const readServiceAccount = (text: string): ServiceAccount | null => {
  const result = safeParse(keyFile, parseJson(text));
  return result.success ? result.output : null;
};

/** True if a text is a service account's key file. */
export const isServiceAccount = (text: string): boolean => readServiceAccount(text) !== null;
