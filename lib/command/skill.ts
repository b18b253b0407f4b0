import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "./command.ts";
import { CommandError, exitCodes } from "./failure.ts";
import { switchFlag } from "./flags.ts";

/** Folder of the skill in the package, beside that of this program. */
const skillFolder = fileURLToPath(new URL("../skill", import.meta.url));

/** `assay skill`: writes the skill for coding agents into a repository. */
export const skillCommand: Command = {
  usage: "skill [DIRECTORY] [--force]",
  summary: "writes the skill for coding agents",
  description:
    "Writes the folder `assay` with SKILL.md and its references into a folder of skills: by default .claude/skills if there is a folder " +
    ".claude, else .agents/skills. Files that differ are replaced only with --force.",
  flags: { force: switchFlag("Replaces files that differ."), help: switchFlag("Shows this help.") },
  run: async ({ flags, terminal }) => {
    const [, directory = existsSync(".claude") ? ".claude/skills" : ".agents/skills"] = flags.positionals;
    const files = readdirSync(skillFolder, { recursive: true, encoding: "utf8" })
      .filter((name) => statSync(join(skillFolder, name)).isFile())
      .map((name) => ({ target: join(directory, "assay", name), text: readFileSync(join(skillFolder, name), "utf8") }));
    const other = files.find(({ target, text }) => existsSync(target) && readFileSync(target, "utf8") !== text);
    if (other !== undefined && flags.values["force"] !== true)
      throw new CommandError(`${other.target} differs: --force replaces it. Nothing was written.`);
    for (const { target, text } of files) {
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, text);
      terminal.print(target);
    }
    return exitCodes.done;
  },
};
