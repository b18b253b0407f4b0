import { mutantsOf, type Mutant } from "./mutant.ts";

/** Mutants of the commands of an operator: what they take for something else than was meant. */
export const operation: readonly Mutant[] = [
  ...mutantsOf("infra/deploy/deploy.ts", ["test/infra/slow/settings/deploy.test.ts"], {
    "refusing a misspelt flag of a deployment": [
      "if (near !== null && !isMeant)",
      "if (near === undefined && !isMeant)",
    ],
    "refusing a value of a flag that has none": [
      "(name === arg || name === overFlag",
      "(name !== arg || name === overFlag",
    ],
    "refusing a context without a value": ["if (!/^\\w.*=/u.test(pair))", "if (!/^\\w/u.test(pair))"],
    "keeping a deployment's own flags from cdk": [" && arg !== dropFlag && arg !== checkFlag", " && arg !== dropFlag"],
    "taking the version after the flag --over from cdk's arguments": [
      "isPair ? [at, at + 1] : [at]",
      "isPair ? [at] : [at]",
    ],
    "printing the usage instead of deploying": [
      'if (allArgs.includes("--help")) return (print(usage), 0);',
      'if (allArgs.includes("--usage")) return (print(usage), 0);',
    ],
    "deploying nothing with --check": [
      "if (allArgs.includes(checkFlag)) return 0;",
      "if (args.includes(checkFlag)) return 0;",
    ],
    "comparing the settings of the running stack": ["!allArgs.includes(dropFlag)", "allArgs.includes(checkFlag)"],
  }),
  ...mutantsOf("infra/settings/setting-conflicts.ts", ["test/local/slow/local-settings.test.ts"], {
    "refusing a misspelt judge on a local machine": [
      "isLocal ? modelNameConflicts(settings, isLocal)",
      "isLocal ? modelNameConflicts(settings, isLocal).slice(1_000)",
    ],
  }),
];
