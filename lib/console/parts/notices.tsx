import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { isLoadingPaused } from "../in-flight.ts";
import { rateLimitedUntil, warnings } from "../notices.ts";

const clock = new Intl.DateTimeFormat("en", { timeStyle: "medium", hourCycle: "h23" });

/** Returns the time until an instant, `in 25 s, at 14:03:20`, kept current; null once it has passed. @param until epoch milliseconds. */
export const useTimeUntil = (until: number | null): string | null => {
  const now = useSignal(Date.now());
  useEffect(() => {
    if (until === null) return undefined;
    const timer = setInterval(() => {
      now.value = Date.now();
      if (now.value >= until) clearInterval(timer);
    }, 1_000);
    now.value = Date.now();
    return () => clearInterval(timer);
  }, [until]);
  if (until === null || now.value >= until) return null;
  return `in ${Math.ceil((until - now.value) / 1_000)} s, at ${clock.format(until)}`;
};

/** Notices of a deletion under way, of a rate limit that is waited for without a failed request, and of the warnings of replies. */
export const Notices = () => {
  const time = useTimeUntil(rateLimitedUntil.value);
  return (
    <div class="notices" role="status">
      {isLoadingPaused.value && <p>Deleting …</p>}
      {time !== null && <p>Too many requests. The console continues {time}.</p>}
      {[...new Set([...warnings.value.values()].flat())].map((text) => (
        <p key={text} dir="auto">
          {text}
        </p>
      ))}
    </div>
  );
};
