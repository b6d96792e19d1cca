import { useSyncExternalStore } from 'react';
import type { Me } from '../api/types.ts';

/** Name under which the browser stores who is signed in, so that every tab notices when a session expires. */
const storedName = 'logbook.signedInAs';

interface LastUser {
  /** Their display name. */
  readonly name: string;
  /** The user as the service described them; undefined in a page that has not seen them signed in. */
  readonly me?: Me;
}

let remembered: LastUser | undefined = readStored();
const listeners = new Set<() => void>();

/** Remembers the user of the session; a sign-out forgets them. */
export function rememberUser(me: Me): void {
  if (me.userName === null || me.session === null) return;
  remember({ name: me.displayName ?? me.userName, me });
}

export function forgetUser(): void {
  remember(undefined);
}

/** Returns the user who has signed in here and not signed out; undefined if there is none. */
export function useLastUser(): LastUser | undefined {
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

function remember(user: LastUser | undefined): void {
  if (remembered?.me === user?.me && remembered?.name === user?.name) return;
  remembered = user;
  for (const listener of listeners) listener();
  try {
    if (user === undefined) localStorage.removeItem(storedName);
    else localStorage.setItem(storedName, user.name);
  } catch {
    // Storage is switched off: only this tab knows the user.
  }
}

function readStored(): LastUser | undefined {
  try {
    const name = localStorage.getItem(storedName);
    return name === null ? undefined : { name };
  } catch {
    return undefined;
  }
}
