import * as v from "valibot";
import { arn, booleanSetting } from "./values.ts";

/** Setting type: ARN of a customer-managed KMS key. */
export const keySetting = arn("kms", /key\/[0-9a-zA-Z-]+/u, "a KMS key");

/** Setting type: IAM path of every role, for example `/team/`. */
export const rolePathSetting = v.pipe(
  v.string("must be a path such as /team/"),
  v.regex(/^\/(?:[\u0021-\u007E]+\/)+$/u, "must be a path such as /team/"),
  v.maxLength(512, "must be a path such as /team/"),
);

/** Setting type: prefix of every role's name, 1 to 16 characters. */
export const rolePrefixSetting = v.pipe(
  v.string("must be 1 to 16 letters, digits and hyphens"),
  v.regex(/^[A-Za-z0-9-]{1,16}$/u, "must be 1 to 16 letters, digits and hyphens"),
);

/** Setting type: ARN of a permissions boundary, a customer-managed or an AWS-managed policy. */
export const boundarySetting = v.pipe(
  v.string("must be the ARN of a policy"),
  v.regex(/^arn:aws[a-z-]*:iam::(?:\d{12}|aws):policy\/[\w+=,.@/-]+$/u, "must be the ARN of a policy"),
);

const tagText = (maxLength: number) =>
  v.pipe(
    v.string("must be text"),
    v.regex(/^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u, "must be letters, digits, spaces and _ . : / = + - @"),
    v.maxLength(maxLength, `must have ${maxLength} characters at most`),
  );

/** Setting type: tags of all resources, at most 48: AWS allows 50, and the stack sets `service` and `stage`. */
export const tagsSetting = v.pipe(
  v.unknown(),
  v.check((input) => !Array.isArray(input), "must be an object, values by name"),
  v.record(
    v.pipe(
      tagText(128),
      v.regex(/^(?!aws:).+/iu, "must not be empty or begin with aws:"),
      v.check((key) => !/^(?:service|stage)$/iu.test(key), "is the stack's own tag: choose another name"),
    ),
    tagText(256),
    "must be an object, values by name",
  ),
  v.check((tags) => Object.keys(tags).length <= 48, "must have at most 48 tags"),
  v.check((tags) => {
    const keys = Object.keys(tags).map((key) => key.toLowerCase());
    return new Set(keys).size === keys.length;
  }, "must not have two tags whose names differ by case only, which roles refuse"),
);

const busName = /^(?:arn:aws[a-z-]*:events:[a-z0-9-]+:\d{12}:event-bus\/)?[A-Za-z0-9_./-]{1,256}$/u;

/** Setting type: name or ARN of an EventBridge event bus. */
export const eventBusSetting = v.pipe(
  v.string("must be the name or the ARN of an event bus"),
  v.regex(busName, "must be the name or the ARN of an event bus"),
);

const roleOrNot = "must be true, false or the ARN of a role";

/** Setting type: true to create the role by which API Gateway writes logs, or the ARN of an existing role. */
export const gatewayLogRoleSetting = v.union(
  [booleanSetting, v.pipe(v.string(), v.regex(/^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]+$/u, roleOrNot))],
  roleOrNot,
);
