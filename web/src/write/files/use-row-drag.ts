import { type PointerEvent, useState } from 'react';

interface Drag {
  readonly from: number;
  readonly to: number;
}

/** The grip of a row, by which it is dragged to another place in its list. */
export interface Grip {
  readonly onPointerDown: (event: PointerEvent) => void;
  readonly onPointerMove: (event: PointerEvent) => void;
  readonly onPointerUp: () => void;
  readonly onPointerCancel: () => void;
}

interface RowDrag {
  readonly gripOf: (at: number) => Grip;
  /** Returns the class of a row: whether it is dragged, and where the dragged one would go. */
  readonly classOf: (at: number) => string | undefined;
}

/** Reorders the first `count` rows of a list with the mouse, a pen or a finger. */
export function useRowDrag(count: number, onMove: (from: number, to: number) => void): RowDrag {
  const [drag, setDrag] = useState<Drag>();
  const end = () => setDrag(undefined);
  const gripOf = (at: number): Grip => ({
    onPointerDown: ({ button, currentTarget, pointerId }) => {
      if (button !== 0) return;
      currentTarget.setPointerCapture(pointerId);
      setDrag({ from: at, to: at });
    },
    onPointerMove: ({ currentTarget, clientY }) => {
      if (!drag) return;
      const rows = [...(currentTarget.closest('ul')?.children ?? [])].slice(0, count);
      const others = rows.filter((_, row) => row !== drag.from);
      const to = others.filter((row) => middleOf(row) < clientY).length;
      rows[to]?.scrollIntoView({ block: 'nearest' });
      setDrag({ ...drag, to });
    },
    onPointerUp: () => {
      if (drag && drag.to !== drag.from) onMove(drag.from, drag.to);
      end();
    },
    onPointerCancel: end,
  });
  const classOf = (at: number) => {
    if (!drag) return undefined;
    if (at === drag.from) return 'dragged';
    if (at !== drag.to) return undefined;
    return drag.to < drag.from ? 'drop-above' : 'drop-below';
  };
  return { gripOf, classOf };
}

function middleOf(row: Element): number {
  const { top, height } = row.getBoundingClientRect();
  return top + height / 2;
}
