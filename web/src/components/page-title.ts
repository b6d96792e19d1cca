import { useEffect } from 'react';
import { formatNumber } from './format.ts';

let name = document.title;
let unseen = 0;

/** Sets the name of the page while the component is shown; undefined: the name stays. */
export function usePageName(next: string | undefined): void {
  useEffect(() => {
    if (next === undefined) return undefined;
    const before = name;
    apply(next, unseen);
    return () => apply(before, unseen);
  }, [next]);
}

/** Shows the number of unseen entries before the name of the page, which stays visible while other tabs are open. */
export function useUnseenCount(count: number): void {
  useEffect(() => {
    apply(name, count);
    return () => apply(name, 0);
  }, [count]);
}

function apply(nextName: string, nextUnseen: number): void {
  name = nextName;
  unseen = nextUnseen;
  document.title = unseen > 0 ? `(${formatNumber(unseen)}) ${name}` : name;
}
