import { spawn } from "node:child_process";

/**
 * Has another process killed as soon as this one is gone, `kill -9` included: a shell waits for the end of a pipe that nobody
 * but this process holds open.
 *
 * Does not do: Windows, which has no such shell; a process that is left behind there is ended by hand.
 *
 * @returns to be called when the other process has ended by itself
 */
export const endWithThisProcess = (pid: number): (() => void) => {
  const guard = spawn("sh", ["-c", 'read -r _ || kill -9 "$1"', "sh", String(pid)], {
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Without a guard the next start ends what is left, by the register.
  guard.once("error", () => undefined);
  guard.stdin.on("error", () => undefined);
  return () => void guard.stdin.end("\n");
};
