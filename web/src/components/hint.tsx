import { cloneElement, type ReactElement, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { Keys } from './keys.tsx';

interface HintProps {
  readonly text: string;
  readonly keys?: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: any element that takes these handlers
  readonly children: ReactElement<any>;
}

const delayMs = 500;
/** Minimum distance from the edges of the window, in pixels. */
const edge = 8;

interface BubblePosition {
  readonly left: number;
  readonly top: number;
  readonly above: boolean;
}

/** Shows the name and the key of a button while the pointer rests on it or the keyboard focuses it. Escape hides it. */
export function Hint({ text, keys, children }: HintProps) {
  const [position, showAt, hide] = useBubblePosition();
  const child = cloneElement(children, {
    onPointerEnter: (event: React.PointerEvent) => {
      if (event.pointerType === 'mouse') showAt(event.currentTarget, delayMs);
    },
    onPointerLeave: hide,
    onPointerDown: hide,
    onFocus: (event: React.FocusEvent) => {
      if (event.currentTarget.matches(':focus-visible')) showAt(event.currentTarget, 0);
      children.props.onFocus?.(event);
    },
    onBlur: hide,
  });
  return (
    <>
      {child}
      {position && createPortal(<Bubble position={position} text={text} keys={keys} />, document.body)}
    </>
  );
}

function useBubblePosition(): [BubblePosition | undefined, (element: Element, waitMs: number) => void, () => void] {
  const [position, setPosition] = useState<BubblePosition>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const hide = () => {
    clearTimeout(timer.current);
    setPosition(undefined);
  };
  const showAt = (element: Element, waitMs: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      if (!element.isConnected || element.getAttribute('aria-expanded') === 'true') return;
      const box = element.getBoundingClientRect();
      const above = box.bottom + 40 > innerHeight;
      setPosition({ left: box.left + box.width / 2, top: above ? box.top - 6 : box.bottom + 6, above });
    }, waitMs);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (!position) return undefined;
    const close = (event: KeyboardEvent) => {
      if (event.key === 'Escape') setPosition(undefined);
    };
    addEventListener('keydown', close, true);
    return () => removeEventListener('keydown', close, true);
  }, [position]);
  return [position, showAt, hide];
}

function Bubble({ position, text, keys }: Omit<HintProps, 'children'> & { readonly position: BubblePosition }) {
  const { left, top, above } = position;
  const bubble = useRef<HTMLDivElement>(null);
  const [within, setWithin] = useState(left);
  useLayoutEffect(() => {
    const half = (bubble.current?.offsetWidth ?? 0) / 2 + edge;
    setWithin(Math.max(half, Math.min(left, innerWidth - half)));
  }, [left]);
  return (
    <div
      ref={bubble}
      role="tooltip"
      className="tooltip"
      style={{ left: within, top, translate: `-50% ${above ? '-100%' : '0'}` }}
    >
      {text}
      {keys && <Keys of={keys} />}
    </div>
  );
}
