import { useEffect } from 'react';
import { giveKeysWithin } from './held-keys.ts';

/** Gives the keys that were held while a popover or dialog was loaded to it. `of` is its selector. */
export function HeldKeys({ of }: { readonly of: string }) {
  useEffect(() => giveKeysWithin(of), [of]);
  return null;
}
