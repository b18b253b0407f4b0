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
    without: "an organization's share of the places for gateway keys",
    file: "lib/store/access/clients/gateway-keys.ts",
    changes: [["room.most, room.few)", "room.most, room.most)"]],
    caughtBy: ["test/store/access/gateway-keys.test.ts"],
  },
  {
    without: "the end of a gateway key whose API key has expired",
    file: "lib/store/access/clients/client-holders.ts",
    changes: [[" && (expiresAt === null || expiresAt > now())", " && (expiresAt === null || now() > 0)"]],
    caughtBy: ["test/store/access/reconcile-gateway-keys.test.ts"],
  },
  {
    without: "looking at the maker of a key in the transaction that makes it",
    file: "lib/store/access/api-key-writes.ts",
    changes: [['when: "#role = :role"', 'when: "attribute_not_exists(pk) OR #role <> :role OR #role = :role"']],
    caughtBy: ["test/store/access/key-makers.test.ts"],
  },
  {
    without: "looking at who may make keys in the same transaction",
    file: "lib/store/access/api-key-writes.ts",
    changes: [["roles.slice(roles.indexOf(role))", "roles.slice(0 * roles.indexOf(role))"]],
    caughtBy: ["test/store/access/key-makers.test.ts"],
  },
  {
    without: "looking again whether who signed in has come back, before their keys end",
    file: "lib/store/access/left-sign-ins.ts",
    changes: [
      [
        "if ((await get(memberKey(organization, maker))) === undefined) await",
        "await get(memberKey(organization, maker)); await",
      ],
    ],
    caughtBy: ["test/store/access/left-sign-ins.test.ts"],
  },
  {
    without: "what a route asks of a key",
    file: "lib/http/gate.ts",
    changes: [["    requirePermission(key.scope, route.permission);\n", ""]],
    caughtBy: ["test/api/every-route/scopes.test.ts"],
  },
  {
    without: "the one project that a key is for, where it names another",
    file: "lib/http/caller-projects.ts",
    changes: [["return made;\n      });\n      requireReach(scope, project.id);\n", "return made;\n      });\n"]],
    caughtBy: ["test/api/every-route/scopes.test.ts"],
  },
  {
    without: "the one project that a key is for, where it gives the id of another",
    file: "lib/http/caller-projects.ts",
    changes: [["return found;\n      });\n      requireReach(scope, project.id);\n", "return found;\n      });\n"]],
    caughtBy: ["test/api/every-route/scopes.test.ts"],
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
