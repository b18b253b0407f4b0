import type { DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { awsLocation } from "../template/arn.ts";

const accessKeyId = "localruntime";

/** Writes the authorization header with the caller's key id but a fake signature. Local services do not check signatures, and signing takes a fifth of the time of a local call. */
const signer: DynamoDBClientConfig["signer"] = {
  sign: async (request, { signingService = "dynamodb" } = {}) => {
    const scope = `${accessKeyId}/20260101/${awsLocation.region}/${signingService}/aws4_request`;
    request.headers["authorization"] = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0`;
    request.headers["x-amz-date"] = "20260101T000000Z";
    return request;
  },
};

/** Configuration of an AWS SDK client of the local runtime. @param endpoint URL of the emulated service */
export const localClient = (endpoint: string) => ({
  endpoint,
  region: awsLocation.region,
  credentials: { accessKeyId, secretAccessKey: "local" },
  signer,
});
