import type { Mutant } from "./mutant.ts";

/** Who may do what. */
export const access: readonly Mutant[] = [
  {
    without: "looking again whether a client is still had, after its gateway key was brought in line",
    file: "lib/gateway-keys/settle.ts",
    changes: [["=== held || again;", "=== held || true;"]],
    caughtBy: ["test/store/access/reconcile-gateway-keys.test.ts"],
  },
  {
    without: "the place of a reconciliation before a page is worked on",
    file: "lib/upkeep/reconcile-access.ts",
    changes: [
      ["      await cursor.set(next);\n", ""],
      ["      from = next;", "      if (!done.left) await cursor.set(next);\n      from = next;"],
    ],
    caughtBy: ["test/store/access/reconcile-gateway-keys.test.ts"],
  },
  {
    without: "keeping the invitation of who has accepted it",
    file: "lib/store/access/invitations.ts",
    changes: [['"SET #status = :status REMOVE #ttl"', '"SET #status = :status"']],
    caughtBy: ["test/store/access/invitation-expiry.test.ts"],
  },
  {
    without: "the end of a user with their last membership: for an instant there is a user without an organization",
    file: "lib/store/access/departure.ts",
    changes: [["const [last, ...others] = all;", "const [last, ...others] = [undefined, ...all];"]],
    caughtBy: ["test/store/access/departure.test.ts"],
  },
  {
    without: "looking whether who accepts an invitation was removed meanwhile",
    file: "lib/store/access/invitations.ts",
    changes: [['{ ...count, when: "attribute_exists(pk)" },', "count,"]],
    caughtBy: ["test/store/access/departure.test.ts"],
  },
];
