/** The account and region that everything on this machine pretends to be in. */
export const place = { account: "000000000000", region: "us-east-1", partition: "aws" } as const;

/** An ARN in the local account and region; `resource` as AWS writes it, such as `function:name`. */
export const arn = (service: string, resource: string): string =>
  `arn:${place.partition}:${service}:${place.region}:${place.account}:${resource}`;

/** The service an ARN names: `lambda`, `sqs`. Empty when the text is no ARN. */
export const arnService = (text: string): string => text.split(":")[2] ?? "";

/** What stands behind the account in an ARN, such as `function:name:alias` or a queue's name. */
export const arnResource = (text: string): string => text.split(":").slice(5).join(":");
