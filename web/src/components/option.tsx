import type { ReactNode } from 'react';
import { optionId } from './use-options.ts';

interface OptionProps {
  readonly listId: string;
  readonly at: number;
  readonly isMarked: boolean;
  readonly onChoose: () => void;
  readonly children: ReactNode;
}

/** An option in the list below a field. */
export function Option({ listId, at, isMarked, onChoose, children }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
    <div
      id={optionId(listId, at)}
      role="option"
      aria-selected={isMarked}
      className={`option ${isMarked ? 'on' : ''}`}
      // Prevents the field from losing the focus.
      onPointerDown={(event) => event.preventDefault()}
      onClick={onChoose}
    >
      {children}
    </div>
  );
}
