import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

const algorithm = "aes-256-gcm";
const nonceLength = 12;
const tagLength = 16;

/** Derives a 256-bit key for `sealText` from texts, at least one of which must be secret. */
export const sealSecret = (...parts: readonly string[]): Buffer =>
  createHash("sha256")
    .update(JSON.stringify(["seal", ...parts]))
    .digest();

/** Encrypts a text with AES-256-GCM. @returns nonce, ciphertext and tag in base64url. */
export const sealText = (secret: Buffer, text: string): string => {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv(algorithm, secret, nonce, { authTagLength: tagLength });
  const sealed = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return sealed.toString("base64url");
};

/** Decrypts the result of `sealText`. @throws Error if the text was encrypted with another key or has been changed. */
export const unsealText = (secret: Buffer, sealed: string): string => {
  const bytes = Buffer.from(sealed, "base64url");
  const decipher = createDecipheriv(algorithm, secret, bytes.subarray(0, nonceLength), { authTagLength: tagLength });
  decipher.setAuthTag(bytes.subarray(-tagLength));
  const text = Buffer.concat([decipher.update(bytes.subarray(nonceLength, -tagLength)), decipher.final()]);
  return text.toString("utf8");
};
