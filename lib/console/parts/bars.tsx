interface Bar {
  /** From 0 to 1. */
  readonly height: number;
  /** What it stands for, in words. */
  readonly title: string;
  readonly open: () => void;
}

/** A series of bars, each of which leads to what it counts. */
export const Bars = ({ bars, label }: { readonly bars: readonly Bar[]; readonly label: string }) => (
  <div class="bars" role="group" aria-label={label}>
    {bars.map(({ height, title, open }) => (
      <button type="button" title={title} aria-label={title} onClick={open}>
        <span style={{ height: `${Math.max(2, height * 100)}%` }} />
      </button>
    ))}
  </div>
);
