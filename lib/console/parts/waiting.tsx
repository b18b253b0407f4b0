import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** Milliseconds after which waiting is said to be long. */
const long = 4_000;

/** What is waited for; after a while, that it takes long. */
export const Waiting = ({ children }: { readonly children: string }) => {
  const isLong = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => (isLong.value = true), long);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p class="faint waiting-for" role="status">
      {children} …{isLong.value && " The service is slow; still waiting."}
    </p>
  );
};
