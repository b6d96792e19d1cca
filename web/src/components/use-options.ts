import { type KeyboardEvent, useState } from 'react';
import { focusContent } from '../app/page-focus.ts';
import { isComposing } from '../keys/is-composing.ts';

interface OptionsProps<Option> {
  readonly options: readonly Option[];
  readonly onChoose: (option: Option) => void;
  readonly onClose: () => void;
  /** Opens the closed list when an arrow key is pressed; undefined: only typing opens it. */
  readonly onOpen?: () => void;
}

/**
 * Manages a list of options below a field that keeps the focus. The arrow keys mark one. While none is marked, Enter
 * chooses none.
 */
export function useOptions<Option>({ options, onChoose, onClose, onOpen }: OptionsProps<Option>) {
  const [marked, mark] = useState(-1);
  const active = marked < options.length ? marked : -1;
  const unmark = () => mark(-1);
  /**
   * Handles a key of the field; returns whether the list used it. The first Escape closes the list, the second leaves
   * the field.
   */
  const onKey = (event: KeyboardEvent<HTMLInputElement>): boolean => {
    const { key, shiftKey, currentTarget } = event;
    const option = options[active];
    if (isComposing(event.nativeEvent)) return true;
    if ((key === 'ArrowDown' || key === 'ArrowUp') && (options.length > 0 || onOpen)) {
      onOpen?.();
      mark(nextOption(active, options.length, key === 'ArrowDown'));
    } else if ((key === 'Enter' || key === 'Tab') && !shiftKey && option !== undefined) onChoose(option);
    else if (key === 'Escape' && options.length > 0) onClose();
    else if (key === 'Escape') {
      currentTarget.blur();
      focusContent();
    } else return false;
    event.preventDefault();
    return true;
  };
  return { active, unmark, onKey };
}

/** Returns the option to mark next; -1 beyond either end of the list, where no option is marked. */
function nextOption(active: number, count: number, isDown: boolean): number {
  if (isDown) return active + 1 >= count ? -1 : active + 1;
  return active < 0 ? count - 1 : active - 1;
}

/** Returns the attributes of a field with a list of options. */
export function comboboxProps(listId: string, isOpen: boolean, active: number) {
  return {
    role: 'combobox',
    'aria-expanded': isOpen,
    'aria-controls': isOpen ? listId : undefined,
    'aria-autocomplete': 'list',
    'aria-activedescendant': isOpen && active >= 0 ? optionId(listId, active) : undefined,
    autoComplete: 'off',
  } as const;
}

export const optionId = (listId: string, at: number): string => `${listId}-${at}`;
