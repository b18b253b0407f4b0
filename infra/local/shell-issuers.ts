import * as v from "valibot";
import { type IssuerSettings, jwtSetting } from "../settings/sign-in-settings.ts";
import { jsonOrText } from "../settings/values.ts";

/**
 * Parses the environment variable `JWT`, which has the format of the setting `jwt`: token issuers as JSON.
 *
 * @throws Error with one sentence when the value is not valid.
 */
export const shellIssuers = ({ JWT }: Readonly<Record<string, string | undefined>>): readonly IssuerSettings[] => {
  if (JWT === undefined || JWT === "") return [];
  const result = v.safeParse(jsonOrText(jwtSetting), JWT);
  if (result.success) return [result.output].flat();
  const [{ message }] = result.issues;
  const path = v.getDotPath(result.issues[0]);
  throw new Error(`JWT${path === null ? "" : `.${path}`} ${message}.`);
};
