/** The looks that a level can have. Levels that a site has added look like Info. */
const looks = ['urgent', 'problem', 'request', 'suggestion', 'info'] as const;
export type LevelLook = (typeof looks)[number];

export function levelLook(level: string): LevelLook {
  const name = level.toLowerCase();
  return looks.find((look) => look === name) ?? 'info';
}

/** The order of levels wherever they are listed or stacked: the most urgent first. */
export function levelRank(level: string): number {
  return looks.indexOf(levelLook(level));
}

interface LevelGlyphProps {
  readonly level: string;
  /** Whether screen readers announce the level; not needed next to its name. */
  readonly named?: boolean;
}

/** The shape of a level: colour is never the only sign. */
export function LevelGlyph({ level, named = false }: LevelGlyphProps) {
  const look = levelLook(level);
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: it has a label, or is hidden
    <svg
      className={`icon level ${look}`}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      {...(named ? { role: 'img', 'aria-label': level } : { 'aria-hidden': true })}
    >
      {shapes[look]}
    </svg>
  );
}

const shapes: Readonly<Record<LevelLook, React.ReactNode>> = {
  urgent: (
    <>
      <path fill="currentColor" d="M5.4 1.8h5.2l3.6 3.6v5.2l-3.6 3.6H5.4l-3.6-3.6V5.4z" />
      <path stroke="var(--surface)" strokeWidth="1.7" d="M8 4.8v3.7M8 11.1h.01" />
    </>
  ),
  problem: <path d="M8 2.4 14.4 13.4H1.6zM8 6.6v3M8 11.4h.01" />,
  request: <path d="M2 3h12v8H7.6L4.6 13.6V11H2zM5 5.8h6M5 8.3h3.8" />,
  suggestion: <path d="M5.9 10.6a4.2 4.2 0 1 1 4.2 0v1.2H5.9zM6.6 14.2h2.8" />,
  info: (
    <>
      <circle cx="8" cy="8" r="5.7" />
      <path d="M8 7.6v3.2M8 5.2h.01" />
    </>
  ),
};

/** A level as shape and word. */
export function Level({ level }: { readonly level: string }) {
  return (
    <span className={`level ${levelLook(level)}`}>
      <LevelGlyph level={level} />
      {level}
    </span>
  );
}
