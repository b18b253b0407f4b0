/** Secret of all access keys. Local services do not check signatures, but for those of links to files. */
export const localSecret = "local";

/** Returns a function's access key id: its name in hexadecimal, because key ids consist of letters and digits only. */
export const accessKeyOf = (functionName: string): string => Buffer.from(functionName).toString("hex");

/** Returns the name of the function with an access key id; meaningless text for callers that are not functions. */
export const functionOf = (accessKey: string): string => Buffer.from(accessKey, "hex").toString();

/** The caller and the AWS service in the signature of a request. */
interface Signature {
  /** Name of the calling function; meaningless text for callers that are not functions. */
  readonly caller: string;
  /** Signing name of the service, such as `dynamodb`. */
  readonly service: string;
}

/** Parses the caller and service of a request. @param authorization value of the `Authorization` header */
export const signatureOf = (authorization = ""): Signature => {
  const [, accessKey = "", service = ""] = /Credential=([^/]+)\/[^/]+\/[^/]+\/([^/]+)\//u.exec(authorization) ?? [];
  return { caller: functionOf(accessKey), service };
};
