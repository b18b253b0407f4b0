import * as v from "valibot";
import { comparableEmail, isInvitedAddress, maxEmailLength } from "../../domain/access/email.ts";
import { invitationStatuses } from "../../domain/access/invitation.ts";
import { nameFlaw } from "../../domain/access/names.ts";
import { roles } from "../../domain/access/role.ts";
import { maxCharacters, replyInstant, listOf, oneOf, text, uuid } from "../schema/fields.ts";
import { describedAs } from "../schema/json-schema.ts";

/** Path parameters of routes below an organization. */
export const organizationParams = v.object({ org_id: uuid });

/**
 * Pattern of organization and project names, with surrounding spaces allowed because they are removed. `[^\W_]` instead of
 * `[\p{L}\p{N}]`, which Python's regular expressions lack; there it also means the letters and digits of all scripts.
 */
const namePattern = "^\\s*(?:[^\\W_]|[A-Za-z0-9][A-Za-z0-9 _.'\\-]{0,253}[A-Za-z0-9])\\s*$";

/** Pattern of an e-mail address that can be invited, without the rarer signs and, as above, without Unicode properties. */
const invitedAddressPattern =
  "^\\s*[\\w!#$%&'*/?^`{|}~.][\\w!#$%&'*/?^`{|}~.+=\\-]*@(?:[\\w\\-]+\\.)+\\d*[^\\W\\d][\\w\\-]*\\s*$";

const resourceName = (label: string) =>
  v.pipe(
    v.string("Input should be a valid string"),
    v.trim(),
    v.rawCheck(({ dataset, addIssue }) => {
      const flaw = dataset.typed ? nameFlaw(label, dataset.value) : null;
      if (flaw !== null) addIssue({ message: flaw });
    }),
    describedAs(
      {
        type: "string",
        pattern: namePattern,
        description:
          "1 to 255 letters, digits, spaces and `_ . ' -`, starting and ending with a letter or digit; surrounding spaces are removed.",
        examples: ["checkout"],
      },
      { type: "string" },
    ),
  );

/** Schema of an organization's name; surrounding spaces are removed. */
export const organizationName = resourceName("Organization name");

/** Schema of a project's name; surrounding spaces are removed. */
export const projectName = resourceName("Project name");

/** Schema of a project's description, at most 2,000 characters; surrounding spaces are removed. */
export const projectDescription = v.pipe(
  v.string("Input should be a valid string"),
  maxCharacters(2000, "Project description must be at most 2000 characters."),
  // oxlint-disable-next-line no-control-regex -- the pattern refuses control characters.
  v.regex(/^[^\x00-\x08\v\f\x0e-\x1f\x7f]*$/u, "Project description contains invalid control characters."),
  v.trim(),
);

/** Schema of the trace metadata keys that a project declares for filters, at most 10; duplicates are removed. */
export const metadataKeys = v.pipe(
  listOf(text(64, 1), 10),
  v.transform((keys) => [...new Set(keys)]),
  v.description(
    "Keys of trace `metadata` that can be used as filters, for values of up to 128 characters (JSON for values other than text). " +
      "Traces stored before a key was declared match once they are updated by more than tags or late spans.",
  ),
);

/** Schema of the e-mail address of an invited user, converted to the form in which addresses are compared. */
export const invitedEmail = v.pipe(
  v.string("Input should be a valid string"),
  v.maxLength(maxEmailLength, `String should have at most ${maxEmailLength} characters`),
  v.trim(),
  v.check(isInvitedAddress, "Input should be an e-mail address with a top level and the letters of one script"),
  v.transform(comparableEmail),
  describedAs(
    {
      type: "string",
      maxLength: maxEmailLength,
      pattern: invitedAddressPattern,
      description:
        "E-mail address in Unicode normal form NFKC, with a top level, not beginning with `=`, `+` or `-`, and with letters of one script in each part; A to Z are compared in lower case, and surrounding spaces are removed.",
      examples: ["bob@example.com"],
    },
    { type: "string" },
  ),
);

/** Schema of a member's role. */
export const role = v.pipe(
  oneOf(roles),
  v.description(
    "Role of a member, the most powerful first; a `LABELLER` may only label traces, without seeing scores.",
  ),
);

/** Schema of a membership: a user with a role in an organization. */
export const membership = v.pipe(
  v.object({
    id: uuid,
    user_id: uuid,
    org_id: uuid,
    role,
    display_name: v.string(),
    email: v.string(),
    created_at: replyInstant,
  }),
  v.title("Membership"),
  v.examples([
    {
      id: "1c5b7c0e-5f0f-8a51-9a7e-6d0f7e1c2b3a",
      user_id: "7a1d4a52-8c0f-8b1e-a6c3-2f4b8d9e0c11",
      org_id: "9d2f6c1a-4e7b-4a3d-8f50-1b2c3d4e5f60",
      role: "MEMBER",
      display_name: "Ann",
      email: "ann@example.com",
      created_at: "2026-11-21T09:00:00.000000+00:00",
    },
  ]),
);

export type MembershipReply = v.InferOutput<typeof membership>;

/** Schema of an invitation to an organization. */
export const invitation = v.pipe(
  v.object({
    id: uuid,
    org_id: uuid,
    org_name: v.string(),
    email: v.string(),
    role,
    status: oneOf(invitationStatuses),
    invited_by: uuid,
    inviter_display_name: v.string(),
    inviter_email: v.string(),
    created_at: replyInstant,
    expires_at: replyInstant,
  }),
  v.title("Invitation"),
  v.description("An invitation to an organization; it is EXPIRED if it is not answered within 7 days."),
  v.examples([
    {
      id: "3f8e2b71-6d1c-4c58-8d0a-5b7e9f1a2c34",
      org_id: "9d2f6c1a-4e7b-4a3d-8f50-1b2c3d4e5f60",
      org_name: "Example Ltd",
      email: "bob@example.com",
      role: "MEMBER",
      status: "PENDING",
      invited_by: "7a1d4a52-8c0f-8b1e-a6c3-2f4b8d9e0c11",
      inviter_display_name: "Ann",
      inviter_email: "ann@example.com",
      created_at: "2026-11-21T09:00:00.000000+00:00",
      expires_at: "2026-11-28T09:00:00.000000+00:00",
    },
  ]),
);

export type InvitationReply = v.InferOutput<typeof invitation>;
