import { isIP } from "node:net";
import * as v from "valibot";
import { isListable } from "../../lib/contract/cross-origin.ts";
import { arn, nonEmpty, unknownOr } from "./values.ts";

const listOf = (form: RegExp, what: string) =>
  v.pipe(
    v.array(v.pipe(v.string(`must be ${what}`), v.regex(form, `must be ${what}`)), "must be a list"),
    v.minLength(1, "must not be empty"),
  );

/** Where the API can be reached: from the internet, or from VPC endpoints alone. */
export const endpointTypeSetting = v.picklist(["regional", "private"], "must be regional or private");

/** Through which endpoints of `execute-api` a private API is reached. */
export const vpcEndpointsSetting = listOf(/^vpce-[0-9a-f]{8,17}$/u, "the id of a VPC endpoint");

const isBlock = (text: string): boolean => {
  const [address = "", bits, ...more] = text.split("/");
  const family = isIP(address);
  const most = family === 4 ? 32 : 128;
  return family !== 0 && more.length === 0 && (bits === undefined || (/^\d{1,3}$/u.test(bits) && Number(bits) <= most));
};

/** Addresses from which the API may be called, single ones or blocks. */
export const allowedAddressesSetting = v.pipe(
  v.array(
    v.pipe(
      v.string("must be an address or a block of them, such as 203.0.113.0/24"),
      v.check(isBlock, "must be an address or a block of them, such as 203.0.113.0/24"),
    ),
    "must be a list",
  ),
  v.minLength(1, "must not be empty"),
);

const origin = "must be an origin such as https://app.example.com (http and any port, :*, of this machine only)";

/** Origins whose pages may call the API from a browser. */
export const allowedOriginsSetting = v.pipe(
  v.array(v.pipe(v.string(origin), v.check(isListable, origin)), "must be a list"),
  v.maxLength(20, "must be 20 origins at most"),
);

/** A domain of one's own in front of the API, with its certificate in the stack's Region. */
export const domainSetting = v.strictObject(
  {
    name: v.pipe(nonEmpty, v.regex(/^(?:[a-z0-9-]+\.)+[a-z]{2,}$/u, "must be the name of a domain in small letters")),
    certificateArn: arn("acm", /certificate\/[0-9a-f-]+/u, "a certificate"),
  },
  unknownOr("is missing or not an object"),
);

/** The subnets and security groups in which judges run. */
export const judgeNetworkSetting = v.strictObject(
  {
    subnetIds: listOf(/^subnet-[0-9a-f]{8,17}$/u, "the id of a subnet"),
    securityGroupIds: listOf(/^sg-[0-9a-f]{8,17}$/u, "the id of a security group"),
  },
  unknownOr("is missing or not an object"),
);
