import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

const algorithm = "aes-256-gcm";
const nonceLength = 12;
const tagLength = 16;

/** The secret of a seal: 256 bits that follow from texts, and are as secret as they are. */
export const sealSecret = (...parts: readonly string[]): Buffer =>
  createHash("sha256")
    .update(JSON.stringify(["seal", ...parts]))
    .digest();

/** A text that only who has the secret can read, in base64url: nonce, ciphertext and tag. */
export const sealText = (secret: Buffer, text: string): string => {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv(algorithm, secret, nonce, { authTagLength: tagLength });
  const sealed = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return sealed.toString("base64url");
};

/** The text that was sealed. @throws Error when it was sealed with another secret, or has been changed since. */
export const unsealText = (secret: Buffer, sealed: string): string => {
  const bytes = Buffer.from(sealed, "base64url");
  const decipher = createDecipheriv(algorithm, secret, bytes.subarray(0, nonceLength), { authTagLength: tagLength });
  decipher.setAuthTag(bytes.subarray(-tagLength));
  const text = Buffer.concat([decipher.update(bytes.subarray(nonceLength, -tagLength)), decipher.final()]);
  return text.toString("utf8");
};
