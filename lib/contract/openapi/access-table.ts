import type { KeyScope } from "../../domain/access/key-scope.ts";
import type { Role } from "../../domain/access/role.ts";

const rightsOfRoles: Readonly<Record<Role, string>> = {
  OWNER: "everything",
  ADMIN: "as `MEMBER`; projects, invitations, audit log, all API keys; removing members and labellers",
  MEMBER: "all data of the projects; reading the settings; API keys, unless `key_makers` says otherwise",
  LABELLER:
    "as a key with `label`; the names of the organization and its projects; no scores, keys, members or audit log",
};

const rightsOfKeys: Readonly<Record<KeyScope["access"], string>> = {
  full: "all data of its projects",
  read: "reading, and what changes nothing and costs nothing",
  ingest: "sending traces and spans, without scores",
  label: "label sets: taking items, whose traces come without scores, and labelling them",
};

const rowsOf = (rights: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(rights).map(([name, right]) => `| \`${name}\` | ${right} |`);

/** Description of organizations, with tables of what roles and API keys allow (Markdown). */
export const accessTable = [
  "Organizations with their members, invitations, projects and API keys. Whatever else is 403.",
  ["| role of a member | may use |", "|---|---|", ...rowsOf(rightsOfRoles)].join("\n"),
  ["| access of an API key | may use |", "|---|---|", ...rowsOf(rightsOfKeys)].join("\n"),
  "A role or an access that changes takes effect within 5 seconds. A member who becomes a labeller loses the keys of their command-line sign-ins; revoke other keys that they have made.",
].join("\n\n");
