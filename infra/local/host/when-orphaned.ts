/**
 * Calls back, once, when the process that started this one is gone: killed with `kill -9` it could pass nothing on.
 *
 * Does not do: Windows, where a process keeps the id of a parent that is gone.
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
