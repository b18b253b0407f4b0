import { spawn } from "node:child_process";

/**
 * Kills another process as soon as this one ends, even by `kill -9`: a shell waits until a pipe closes that only this process
 * holds open.
 *
 * Not supported: Windows, which has no such shell; leftover processes must be ended by hand there.
 *
 * @returns a function to call when the other process has exited, which ends the shell
 */
export const endWithThisProcess = (pid: number): (() => void) => {
  const guard = spawn("sh", ["-c", 'read -r _ || kill -9 "$1"', "sh", String(pid)], {
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Without this shell, the next start kills the leftover process (process-register.ts).
  guard.once("error", () => undefined);
  guard.stdin.on("error", () => undefined);
  return () => void guard.stdin.end("\n");
};
