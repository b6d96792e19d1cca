import { useSyncExternalStore } from 'react';
import type { Me } from '../api/types.ts';

/** Name under which the browser stores who is signed in, so that every tab notices when a session expires. */
const storedName = 'logbook.signedInAs';

let remembered: string | undefined = readStored();
const listeners = new Set<() => void>();

/** Remembers the user of the session; a sign-out forgets them. */
export function rememberUser(me: Me): void {
  if (me.userName === null || me.session === null) return;
  remember(me.displayName ?? me.userName);
}

export function forgetUser(): void {
  remember(undefined);
}

/** Who was signed in here and has not signed out; undefined when there is none. */
export function useLastUser(): string | undefined {
  return useSyncExternalStore(watch, () => remembered);
}

function watch(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Follows sign-ins and sign-outs in other tabs. */
export function watchOtherTabs(onChange: () => void): void {
  addEventListener('storage', ({ key }) => {
    if (key !== storedName && key !== null) return;
    remembered = readStored();
    for (const listener of listeners) listener();
    onChange();
  });
}

function remember(name: string | undefined): void {
  if (remembered === name) return;
  remembered = name;
  for (const listener of listeners) listener();
  try {
    if (name === undefined) localStorage.removeItem(storedName);
    else localStorage.setItem(storedName, name);
  } catch {
    // Storage is switched off: this tab still knows.
  }
}

function readStored(): string | undefined {
  try {
    return localStorage.getItem(storedName) ?? undefined;
  } catch {
    return undefined;
  }
}
