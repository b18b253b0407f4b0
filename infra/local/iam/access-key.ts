/** The access key id that a function signs with: its name in hexadecimal, since an id has letters and digits only. */
export const accessKeyOf = (functionName: string): string => Buffer.from(functionName).toString("hex");

/** Who signed a request, and for which service. */
interface Signature {
  /** The name of the function that signed it; of another caller nothing that a function is called. */
  readonly caller: string;
  /** As its signing name. */
  readonly service: string;
}

/** @param authorization the header that a request is signed with. */
export const signatureOf = (authorization = ""): Signature => {
  const [, accessKey = "", service = ""] = /Credential=([^/]+)\/[^/]+\/[^/]+\/([^/]+)\//u.exec(authorization) ?? [];
  return { caller: Buffer.from(accessKey, "hex").toString(), service };
};
