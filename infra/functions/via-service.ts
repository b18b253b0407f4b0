/** Returns the condition that a service uses a KMS key for the caller. The Region is that of the key; its name would be in the policy of each role. */
export const viaService = (service: "dynamodb" | "ssm") => ({ StringLike: { "kms:ViaService": `${service}.*` } });
