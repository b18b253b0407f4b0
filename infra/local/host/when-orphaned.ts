/**
 * Calls `stop` once when the parent process has ended. A parent killed with `kill -9` cannot forward a signal, so this polls.
 *
 * Not supported: Windows, where the parent id of a process does not change when the parent ends.
 */
export const whenOrphaned = (stop: () => void): void => {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    stop();
  }, 200);
  watch.unref();
};
