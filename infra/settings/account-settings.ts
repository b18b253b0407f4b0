import * as v from "valibot";
import { arn, yesOrNo } from "./values.ts";

/** A customer's key. */
export const keySetting = arn("kms", /key\/[0-9a-zA-Z-]+/u, "a KMS key");

/** The path of every role. */
export const rolePathSetting = v.pipe(
  v.string("must be a path such as /team/"),
  v.regex(/^\/(?:[\u0021-\u007E]+\/)+$/u, "must be a path such as /team/"),
  v.maxLength(512, "must be a path such as /team/"),
);

/** What every role's name begins with. */
export const rolePrefixSetting = v.pipe(
  v.string("must be 1 to 16 letters, digits and hyphens"),
  v.regex(/^[A-Za-z0-9-]{1,16}$/u, "must be 1 to 16 letters, digits and hyphens"),
);

/** A policy, a customer's or AWS's own. */
export const boundarySetting = v.pipe(
  v.string("must be the ARN of a policy"),
  v.regex(/^arn:aws[a-z-]*:iam::(?:\d{12}|aws):policy\/[\w+=,.@/-]+$/u, "must be the ARN of a policy"),
);

const tagText = (most: number) =>
  v.pipe(
    v.string("must be text"),
    v.regex(/^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u, "must be letters, digits, blanks and _ . : / = + - @"),
    v.maxLength(most, `must have ${most} characters at most`),
  );

/** The stack's own tags are two of the 50 that a resource may have. */
export const tagsSetting = v.pipe(
  v.unknown(),
  v.check((given) => !Array.isArray(given), "must be an object, values by name"),
  v.record(
    v.pipe(
      tagText(128),
      v.regex(/^(?!aws:).+/iu, "must not be empty or begin with aws:"),
      v.check((key) => key !== "service" && key !== "stage", "is the stack's own"),
    ),
    tagText(256),
    "must be an object, values by name",
  ),
  v.check((tags) => Object.keys(tags).length <= 48, "must be 48 at most"),
);

const busName = /^(?:arn:aws[a-z-]*:events:[a-z0-9-]+:\d{12}:event-bus\/)?[A-Za-z0-9_./-]{1,256}$/u;

/** An event bus, by its name or its ARN. */
export const eventBusSetting = v.pipe(
  v.string("must be the name or the ARN of an event bus"),
  v.regex(busName, "must be the name or the ARN of an event bus"),
);

const roleOrNot = "must be true, false or the ARN of a role";

/** Whether the stack makes the role by which the account's APIs write logs, or which one it is to use. */
export const gatewayLogRoleSetting = v.union(
  [yesOrNo, v.pipe(v.string(), v.regex(/^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]+$/u, roleOrNot))],
  roleOrNot,
);
