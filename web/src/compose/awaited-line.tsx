import type { RefObject } from 'react';
import { holdKeys } from '../keys/held-keys.ts';
import { useShortcut } from '../keys/use-shortcut.ts';

export interface AwaitedLineProps {
  /** Whether the user has asked for the line. */
  readonly isAsked: RefObject<boolean>;
  readonly onAsked?: () => void;
}

/** Holds what is typed for the line until its field has loaded. */
export function AwaitedLine({ isAsked, onAsked }: AwaitedLineProps) {
  useShortcut('line', () => {
    isAsked.current = true;
    holdKeys('line');
    onAsked?.();
  });
  return null;
}
