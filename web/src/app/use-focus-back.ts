import { useEffect, useRef } from 'react';
import { focusAfterAction, focusOrContent, isFocusFree } from './page-focus.ts';

/** Focuses what had the focus before the component was shown, once it is gone and has taken the focus with it. */
export function useFocusBack(): void {
  const before = useRef<Element>(null);
  // Before one of its fields takes the focus.
  before.current ??= document.activeElement;
  useEffect(
    () => () => {
      setTimeout(() => {
        if (isFocusFree()) focusOrContent(before.current);
      });
    },
    [],
  );
}

/** Focuses the content of the page when fewer items are shown than before: the one whose button was pressed has gone. */
export function useFocusOfRest(count: number | undefined): void {
  const before = useRef(count);
  useEffect(() => {
    if (count !== undefined && before.current !== undefined && count < before.current) focusAfterAction();
    before.current = count;
  }, [count]);
}
