import * as v from "valibot";
import { comparableEmail } from "../domain/access/email.ts";

/** Deployment setting with rules for users who may create organizations. A user must match one rule; an empty setting permits no user. */
export const organizationCreators = v.object({
  /** Allowed values by claim; a token must have one of them. */
  claims: v.exactOptional(v.record(v.string(), v.array(v.string()))),
  /** Domains of verified e-mail addresses. */
  emailDomains: v.exactOptional(v.array(v.string())),
});

type OrganizationCreators = v.InferOutput<typeof organizationCreators>;

type Claims = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Claims =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns a claim by its name, or by a dotted path such as `realm_access.roles`. */
const claimAt = (claims: Claims, name: string): unknown =>
  Object.hasOwn(claims, name)
    ? claims[name]
    : name
        .split(".")
        .reduce<unknown>((at, part) => (isRecord(at) && Object.hasOwn(at, part) ? at[part] : undefined), claims);

const hasAllowedValue = (value: unknown, allowedValues: readonly string[]): boolean =>
  [value]
    .flat()
    .some((each) => (typeof each === "string" || typeof each === "boolean") && allowedValues.includes(String(each)));

/**
 * Returns true if a user may create organizations, including the one that is created on the first sign-in.
 *
 * @param rules deployment setting; every user may create organizations if undefined.
 * @param email verified e-mail address of the user.
 */
export const isOrganizationCreator = (
  rules: OrganizationCreators | undefined,
  claims: Claims,
  email: string | null,
): boolean => {
  if (rules === undefined) return true;
  const { claims: byClaim = {}, emailDomains = [] } = rules;
  const domain = email === null ? null : comparableEmail(email).split("@").at(-1);
  return (
    Object.entries(byClaim).some(([name, allowedValues]) => hasAllowedValue(claimAt(claims, name), allowedValues)) ||
    (domain !== null && domain !== undefined && emailDomains.includes(domain))
  );
};

/** Check of a token's claims that returns true if its user may create organizations. */
export type OrganizationRule = (claims: Claims, email: string | null) => boolean;
