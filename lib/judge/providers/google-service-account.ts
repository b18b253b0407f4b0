import { createPrivateKey } from "node:crypto";
import { check, object, pipe, safeParse, string, url, type InferOutput } from "valibot";

const isPrivateKey = (pem: string): boolean => {
  try {
    return createPrivateKey(pem).asymmetricKeyType === "rsa";
  } catch {
    return false;
  }
};

/** A service account's key file, as Google's console gives it. */
const keyFile = object({
  project_id: string(),
  client_email: string(),
  private_key_id: string(),
  private_key: pipe(string(), check(isPrivateKey)),
  token_uri: pipe(string(), url()),
});

export type ServiceAccount = InferOutput<typeof keyFile>;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Reads a service account's key file; null when the text is not one. */
export const readServiceAccount = (text: string): ServiceAccount | null => {
  const result = safeParse(keyFile, parsed(text));
  return result.success ? result.output : null;
};

/** Whether a text is a service account's key file. */
export const isServiceAccount = (text: string): boolean => readServiceAccount(text) !== null;
