import { arn, awsLocation, bucketArn } from "../template/arn.ts";
import { asText } from "../host/as-text.ts";
import type { RequiredPermission } from "./decision.ts";

type Body = Readonly<Record<string, unknown>>;

/** Returns the tags of a resource of API Gateway by its path; none if it does not exist. */
export type TagsOf = (path: string) => Readonly<Record<string, string>>;

/** Permission of a call of API Gateway's control plane: the HTTP method on the path. */
const gatewayPermissions = (method: string, { pathname }: URL, tagsOf: TagsOf): readonly RequiredPermission[] => [
  {
    action: `apigateway:${method}`,
    resource: `arn:${awsLocation.partition}:apigateway:${awsLocation.region}::${pathname}`,
    context: Object.fromEntries(
      Object.entries(tagsOf(pathname)).map(([name, value]) => [`aws:ResourceTag/${name}`, [value]]),
    ),
  },
];

const schedulerActions: Readonly<Record<string, string>> = {
  POST: "CreateSchedule",
  PUT: "UpdateSchedule",
  GET: "GetSchedule",
  DELETE: "DeleteSchedule",
};

/** Permissions of a Scheduler call: the operation on the schedule, and `iam:PassRole` if the schedule names a role. */
const schedulerPermissions = (
  method: string,
  { pathname, searchParams }: URL,
  body: Body,
): readonly RequiredPermission[] => {
  const [, , name] = pathname.split("/");
  if (name === undefined) return [{ action: "scheduler:ListSchedules", resource: "*" }];
  const group = asText(body["GroupName"] ?? searchParams.get("groupName") ?? "default");
  const role = (body["Target"] as Body | undefined)?.["RoleArn"];
  return [
    {
      action: `scheduler:${schedulerActions[method] ?? method}`,
      resource: arn("scheduler", `schedule/${group}/${name}`),
    },
    ...(role === undefined ? [] : [{ action: "iam:PassRole", resource: asText(role) }]),
  ];
};

const lambdaPermissions = ({ pathname }: URL): readonly RequiredPermission[] => {
  const [, , kind, id = ""] = pathname.split("/");
  return kind === "event-source-mappings"
    ? [{ action: "lambda:GetEventSourceMapping", resource: arn("lambda", `event-source-mapping:${id}`) }]
    : [{ action: "lambda:InvokeFunction", resource: arn("lambda", `function:${id}`) }];
};

const objectActions: Readonly<Record<string, string>> = { GET: "GetObject", PUT: "PutObject", DELETE: "DeleteObject" };

/** Permission of a call of S3: on the object, or without one a list of the bucket. */
const bucketPermissions = (method: string, { pathname }: URL): readonly RequiredPermission[] => {
  const [, bucket = "", ...key] = pathname.split("/").map(decodeURIComponent);
  const object = key.join("/");
  return object === ""
    ? [{ action: "s3:ListBucket", resource: bucketArn(bucket) }]
    : [{ action: `s3:${objectActions[method] ?? method}`, resource: `${bucketArn(bucket)}/${object}` }];
};

/**
 * Returns the permissions that a call of an AWS REST protocol requires.
 *
 * @param service signing name of the service, such as `scheduler`
 * @throws Error for an unsupported service, so that no call goes unchecked
 */
export const restCallPermissions = (
  service: string,
  method: string,
  url: URL,
  body: Body,
  tagsOf: TagsOf = () => ({}),
): readonly RequiredPermission[] => {
  if (service === "apigateway") return gatewayPermissions(method, url, tagsOf);
  if (service === "scheduler") return schedulerPermissions(method, url, body);
  if (service === "lambda") return lambdaPermissions(url);
  if (service === "s3") return bucketPermissions(method, url);
  throw new Error(`The permissions of calls of ${service} are not known.`);
};
