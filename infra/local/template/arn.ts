/** The fictitious AWS account, region and partition of the local services. */
export const awsLocation = { account: "000000000000", region: "us-east-1", partition: "aws" } as const;

/** Builds an ARN in the local account and region. @param resource last part of the ARN, such as `function:name` */
export const arn = (service: string, resource: string): string =>
  `arn:${awsLocation.partition}:${service}:${awsLocation.region}:${awsLocation.account}:${resource}`;

/** Builds the ARN of a bucket, which has neither account nor region. */
export const bucketArn = (name: string): string => `arn:${awsLocation.partition}:s3:::${name}`;

/** Extracts the service of an ARN, such as `lambda`; empty when the text is not an ARN. */
export const arnService = (text: string): string => text.split(":")[2] ?? "";

/** Extracts the part after the account in an ARN, such as `function:name:alias` or a queue's name. */
export const arnResource = (text: string): string => text.split(":").slice(5).join(":");
