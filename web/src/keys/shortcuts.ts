/**
 * All shortcuts, in the order of the sheet that lists them. `keys` are pressed together (`Mod`: Ctrl, on a Mac Cmd) or,
 * with `then` between them, one after the other.
 */
export const shortcuts = {
  commands: { group: 'anywhere', keys: 'Mod K' },
  search: { group: 'anywhere', keys: '/' },
  write: { group: 'anywhere', keys: 'C' },
  line: { group: 'list', keys: 'W' },
  goToEntries: { group: 'anywhere', keys: 'G then E' },
  goToDrafts: { group: 'anywhere', keys: 'G then D' },
  goToHandOver: { group: 'anywhere', keys: 'G then H' },
  theme: { group: 'anywhere', keys: 'T' },
  undoSending: { group: 'anywhere', keys: 'Z' },
  sheet: { group: 'anywhere', keys: '?' },
  next: { group: 'list', keys: 'J' },
  previous: { group: 'list', keys: 'K' },
  open: { group: 'list', keys: 'Enter' },
  unfold: { group: 'list', keys: 'ArrowRight' },
  fold: { group: 'list', keys: 'ArrowLeft' },
  select: { group: 'list', keys: 'X' },
  groupSelected: { group: 'list', keys: 'Shift G' },
  clearSelection: { group: 'list', keys: 'Escape' },
  showNew: { group: 'list', keys: 'N' },
  filters: { group: 'list', keys: 'F' },
  timeline: { group: 'list', keys: 'H' },
  reply: { group: 'entry', keys: 'R' },
  edit: { group: 'entry', keys: 'E' },
  around: { group: 'entry', keys: 'A' },
  history: { group: 'entry', keys: 'V' },
  copyLink: { group: 'entry', keys: 'Y' },
  copyMarkdown: { group: 'entry', keys: 'Shift Y' },
  copyRich: { group: 'entry', keys: 'Alt Y' },
  print: { group: 'entry', keys: 'Mod P' },
  send: { group: 'entry', keys: 'Mod Enter' },
  preview: { group: 'entry', keys: 'Alt P' },
} as const satisfies Record<string, { readonly group: 'anywhere' | 'list' | 'entry'; readonly keys: string }>;

export type ShortcutName = keyof typeof shortcuts;

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

const shown: Readonly<Record<string, string>> = {
  Mod: isMac ? '⌘' : 'Ctrl',
  Enter: '⏎',
  ArrowRight: '→',
  ArrowLeft: '←',
  Escape: 'Esc',
};

/** The keys of a shortcut as they are shown on buttons. */
export function shownKeys(name: ShortcutName): string {
  return shortcuts[name].keys
    .split(' ')
    .map((key) => shown[key] ?? key)
    .join(' ');
}
