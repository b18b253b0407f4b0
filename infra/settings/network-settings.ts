import { isIP } from "node:net";
import * as v from "valibot";
import { isValidOrigin } from "../../lib/contract/cross-origin.ts";
import { arn, listOf, nonEmptyText, objectFault } from "./values.ts";

const idsOf = (form: RegExp, noun: string, max: number) =>
  listOf(v.pipe(v.string(`must be ${noun}`), v.regex(form, `must be ${noun}`)), max);

/** Setting type: reachability of the API, `regional` from the internet, `private` from VPC endpoints only. */
export const endpointTypeSetting = v.picklist(["regional", "private"], "must be regional or private");

/** Setting type: ids of the `execute-api` VPC endpoints of a private API. */
export const vpcEndpointsSetting = idsOf(/^vpce-[0-9a-f]{8,17}$/u, "the id of a VPC endpoint", 100);

const isBlock = (text: string): boolean => {
  const [address = "", bits, ...excess] = text.split("/");
  const family = isIP(address);
  const maxBits = family === 4 ? 32 : 128;
  return (
    family !== 0 &&
    !address.includes("%") &&
    excess.length === 0 &&
    (bits === undefined || (/^\d{1,3}$/u.test(bits) && Number(bits) <= maxBits))
  );
};

/** Setting type: IP addresses and CIDR blocks that may call the API. */
export const allowedAddressesSetting = v.pipe(
  v.array(
    v.pipe(
      v.string("must be an IP address or a CIDR block, such as 203.0.113.0/24"),
      v.check(isBlock, "must be an IP address or a CIDR block, such as 203.0.113.0/24"),
    ),
    "must be a list",
  ),
  v.minLength(1, "must not be empty"),
);

const origin = "must be an origin such as https://app.example.com (http and any port, :*, only on localhost)";

/** Setting type: origins whose pages may call the API from a browser (CORS), at most 20. */
export const allowedOriginsSetting = v.pipe(
  v.array(v.pipe(v.string(origin), v.check(isValidOrigin, origin)), "must be a list"),
  v.maxLength(20, "must be 20 origins at most"),
);

/** Setting type: a custom domain of the API, with its certificate in the stack's Region. */
export const domainSetting = v.strictObject(
  {
    name: v.pipe(nonEmptyText, v.regex(/^(?:[a-z0-9-]+\.)+[a-z]{2,}$/u, "must be a domain name in lower case")),
    certificateArn: arn("acm", /certificate\/[0-9a-f-]+/u, "a certificate"),
  },
  objectFault("must be an object"),
);

/** Setting type: VPC subnets and security groups of functions that call judges; 16 and 5 are Lambda's limits. */
export const judgeNetworkSetting = v.strictObject(
  {
    subnetIds: idsOf(/^subnet-[0-9a-f]{8,17}$/u, "the id of a subnet", 16),
    securityGroupIds: idsOf(/^sg-[0-9a-f]{8,17}$/u, "the id of a security group", 5),
  },
  objectFault("must be an object"),
);
