import { type RefObject, useEffect, useState } from 'react';

/** The width of an element, in pixels; follows its changes. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const target = element.current;
    if (!target) return undefined;
    const read = () => setWidth(target.clientWidth);
    const observer = new ResizeObserver(read);
    observer.observe(target);
    read();
    return () => observer.disconnect();
  }, [element]);
  return width;
}
