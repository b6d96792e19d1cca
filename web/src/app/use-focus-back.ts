import { useEffect, useRef } from 'react';
import { focusAfterAction, focusOrContent, isFocusFree } from './page-focus.ts';

/** Returns the focus to where it was before, if the component has the focus when it is removed. */
export function useFocusBack(): void {
  const before = useRef<Element>(null);
  // Read during the first rendering, before a field of the component takes the focus.
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

/** Focuses the content of the page when the number of items falls: the item with the pressed button has gone. */
export function useFocusOfRest(count: number | undefined): void {
  const before = useRef(count);
  useEffect(() => {
    if (count !== undefined && before.current !== undefined && count < before.current) focusAfterAction();
    before.current = count;
  }, [count]);
}
