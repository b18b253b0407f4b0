import { presignedUrl } from "../../../lib/aws/presigned-url.ts";
import { localSecret } from "../iam/access-key.ts";
import { awsLocation } from "../template/arn.ts";

/** True if the URL of a GET request has a valid signature that has not expired. @param host header `host` of the request. */
export const isPresigned = ({ pathname: path, searchParams }: URL, host: string, now = Date.now()): boolean => {
  const [accessKeyId = ""] = (searchParams.get("X-Amz-Credential") ?? "").split("/");
  const time = searchParams.get("X-Amz-Date") ?? "";
  const at = new Date(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/u, "$1-$2-$3T$4:$5:$6Z"));
  const seconds = Number(searchParams.get("X-Amz-Expires"));
  if (!(now < at.getTime() + seconds * 1_000) || !URL.canParse(`http://${host}`)) return false;
  const keys = { accessKeyId, secretAccessKey: localSecret, region: awsLocation.region };
  const expected = new URL(presignedUrl({ ...keys, origin: `http://${host}`, path, at, seconds }));
  return searchParams.get("X-Amz-Signature") === expected.searchParams.get("X-Amz-Signature");
};
