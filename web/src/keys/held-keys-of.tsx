import { useEffect } from 'react';
import { giveKeysWithin } from './held-keys.ts';

/** Gives a popover or dialog the keys that were held while it was loaded. `of` is its selector. */
export function HeldKeys({ of }: { readonly of: string }) {
  useEffect(() => giveKeysWithin(of), [of]);
  return null;
}
