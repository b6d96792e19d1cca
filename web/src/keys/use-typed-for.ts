import { useEffect } from 'react';
import { readTyped } from './held-keys.ts';

/** Opens a part of the page for which something was typed when it could not be loaded. Undefined: it is not offered. */
export function useTypedFor(name: string | undefined, open: () => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once it is offered
  useEffect(() => {
    if (readTyped(name)) open();
  }, [name]);
}
