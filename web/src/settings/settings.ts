import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark' | 'night';
export type Density = 'default' | 'compact' | 'comfortable';

/** Settings of this browser. */
export interface Settings {
  readonly theme: Theme;
  readonly density: Density;
  /** Language of the interface, such as `en`; `system`: the first of the browser's languages that is available. */
  readonly language: string;
  /** Whether single keys such as `J` are shortcuts. */
  readonly singleKeys: boolean;
  /** Whether similar entries are shown while a new one is written. */
  readonly similarWhileWriting: boolean;
  /** Whether a new Urgent entry makes a sound. */
  readonly urgentSound: boolean;
  /** Whether a new Urgent entry shows a notification. */
  readonly urgentNotice: boolean;
  /** Width of the list in pixels, on wide screens. */
  readonly listWidth: number;
}

const defaults: Settings = {
  theme: 'system',
  density: 'default',
  language: 'system',
  singleKeys: true,
  similarWhileWriting: true,
  urgentSound: false,
  urgentNotice: false,
  listWidth: 468,
};

/** Prefix of the stored names. A script in `index.html` also reads theme and density, before this module is loaded. */
const prefix = 'logbook.';

const listeners = new Set<() => void>();
let current: Settings = readAll();

function readAll(): Settings {
  const read = <K extends keyof Settings>(key: K): Settings[K] => {
    const text = readStored(`${prefix}${key}`);
    if (text === null) return defaults[key];
    const fallback = defaults[key];
    if (typeof fallback === 'boolean') return (text === 'true') as Settings[K];
    if (typeof fallback === 'number') return (Number(text) || fallback) as Settings[K];
    return text as Settings[K];
  };
  const keys = Object.keys(defaults) as (keyof Settings)[];
  return Object.fromEntries(keys.map((key) => [key, read(key)])) as unknown as Settings;
}

/** The storage can be switched off or full; settings then last as long as the page. */
function readStored(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function writeStored(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // The setting lasts as long as the page.
  }
}

export function readSettings(): Settings {
  return current;
}

export function changeSetting<K extends keyof Settings>(key: K, value: Settings[K]): void {
  writeStored(`${prefix}${key}`, String(value));
  current = { ...current, [key]: value };
  applyLook();
  for (const listener of listeners) listener();
}

/** Calls the listener after each change, in this tab or another; returns a function that removes the listener. */
export function watchSettings(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useSettings(): Settings {
  return useSyncExternalStore(watchSettings, readSettings);
}

const dark = matchMedia('(prefers-color-scheme: dark)');

/** Returns the theme to show; `system` becomes the current theme of the operating system. */
export function shownTheme({ theme }: Settings): 'light' | 'dark' | 'night' {
  if (theme !== 'system') return theme;
  return dark.matches ? 'dark' : 'light';
}

function applyLook(): void {
  document.documentElement.dataset.theme = shownTheme(current);
  document.documentElement.dataset.density = current.density;
}

/** Follows the system's theme, and changes in other tabs. */
export function startSettings(): void {
  const refresh = () => {
    current = readAll();
    applyLook();
    for (const listener of listeners) listener();
  };
  dark.addEventListener('change', refresh);
  addEventListener('storage', ({ key }) => {
    if (key === null || key.startsWith(prefix)) refresh();
  });
  applyLook();
}
