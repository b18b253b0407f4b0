import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** An ASN.1 value in DER: tag, length and bytes. */
const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const bytes = Buffer.concat(parts);
  const long = bytes.length < 128 ? [bytes.length] : [0x82, bytes.length >> 8, bytes.length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...long), bytes]);
};

const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
const identifier = (...bytes: readonly number[]): Buffer => der(0x06, Buffer.of(...bytes));
const time = (text: string): Buffer => der(0x17, Buffer.from(text));

const sha256WithRsa = sequence(identifier(0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b), der(0x05));

/** The distinguished name `CN=localhost`. */
const localhost = sequence(der(0x31, sequence(identifier(0x55, 0x04, 0x03), der(0x0c, Buffer.from("localhost")))));

const pem = (bytes: Uint8Array): string =>
  `-----BEGIN CERTIFICATE-----\n${Buffer.from(bytes).toString("base64")}\n-----END CERTIFICATE-----\n`;

/** A key and a self-signed certificate for a local server. RSA, which every version of TLS supports. */
export const selfSigned = (): { readonly key: string; readonly cert: string } => {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const validity = sequence(time("250101000000Z"), time("491231235959Z"));
  const serial = der(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)]));
  const body = sequence(
    serial,
    sha256WithRsa,
    localhost,
    validity,
    localhost,
    publicKey.export({ type: "spki", format: "der" }),
  );
  const signature = der(0x03, Buffer.of(0), sign("sha256", body, privateKey));
  return {
    key: String(privateKey.export({ type: "pkcs8", format: "pem" })),
    cert: pem(sequence(body, sha256WithRsa, signature)),
  };
};
