import * as v from "valibot";
import { addressPattern, comparableEmail, isAddress, maxEmailLength } from "../../domain/access/email.ts";
import { invitationStatuses } from "../../domain/access/invitation.ts";
import { nameFlaw } from "../../domain/access/names.ts";
import { roles } from "../../domain/access/role.ts";
import { replyInstant, listOf, oneOf, text, uuid } from "../fields.ts";
import { inJson } from "../json-schema.ts";
import { mostCharacters } from "../text-length.ts";

/** The organization of a management route. */
export const organizationParams = v.object({ org_id: uuid });

/** As `nameFlaw` has it, after blanks around the name were dropped. */
const namePattern = "^\\s*(?:[\\p{L}\\p{N}]|[A-Za-z0-9][A-Za-z0-9 _.'\\-]{0,253}[A-Za-z0-9])\\s*$";

const resourceName = (label: string) =>
  v.pipe(
    v.string("Input should be a valid string"),
    v.trim(),
    v.rawCheck(({ dataset, addIssue }) => {
      const flaw = dataset.typed ? nameFlaw(label, dataset.value) : null;
      if (flaw !== null) addIssue({ message: flaw });
    }),
    inJson(
      {
        type: "string",
        pattern: namePattern,
        description:
          "1 to 255 letters, digits, blanks and `_ . ' -`, a letter or digit first and last; blanks around it are dropped.",
        examples: ["checkout"],
      },
      { type: "string" },
    ),
  );

/** The name of an organization; blanks around it are dropped. */
export const organizationName = resourceName("Organization name");

/** The name of a project; blanks around it are dropped. */
export const projectName = resourceName("Project name");

/** What a project is for; blanks around it are dropped. */
export const projectDescription = v.pipe(
  v.string("Input should be a valid string"),
  mostCharacters(2000, "Project description must be at most 2000 characters."),
  // oxlint-disable-next-line no-control-regex -- they are what is refused.
  v.regex(/^[^\x00-\x08\v\f\x0e-\x1f\x7f]*$/u, "Project description contains invalid control characters."),
  v.trim(),
);

/** Keys of traces' metadata that a project declares; one that is named twice is there once. */
export const metadataKeys = v.pipe(
  listOf(text(64, 1), 10),
  v.transform((keys) => [...new Set(keys)]),
  v.description(
    "Keys of traces' `metadata` by which traces will be found: the list of traces carries their values. Values of up to 128 " +
      "characters count (what is no text as its JSON); a trace that was stored before a key was declared carries it once more of it changes than its tags and late spans.",
  ),
);

/** The address of somebody who is invited, as addresses are compared. No token has one of another form. */
export const invitedEmail = v.pipe(
  v.string("Input should be a valid string"),
  v.maxLength(maxEmailLength, `String should have at most ${maxEmailLength} characters`),
  v.trim(),
  v.check(isAddress, "Input should be an e-mail address"),
  v.transform(comparableEmail),
  inJson(
    {
      type: "string",
      maxLength: maxEmailLength,
      pattern: `^\\s*${addressPattern}\\s*$`,
      description: "In Unicode's normal form NFKC. Compared with A to Z in lower case; blanks around it are dropped.",
      examples: ["bob@example.com"],
    },
    { type: "string" },
  ),
);

/** What a member may be. */
export const role = oneOf(roles);

/** A member of an organization. */
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

/** An invitation to an organization. */
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
  v.description("An invitation that is not answered within 7 days is EXPIRED."),
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
