import { useState } from 'react';
import { isMeant, isWritten, type Mark, type Size, type Tool } from './mark.ts';

export interface Marks {
  /** All marks, including the one that is being drawn. */
  readonly shown: readonly Mark[];
  /** The finished marks, without texts in which nothing was written. */
  readonly written: readonly Mark[];
  readonly isEmpty: boolean;
  /** The last mark, which keys and the text field change. */
  readonly current: Mark | undefined;
  readonly draw: (mark: Mark) => void;
  /** Keeps the mark that was drawn, unless it is too small to be intentional. */
  readonly keep: () => void;
  readonly add: (mark: Mark) => void;
  /** Changes the last mark. One undo removes the mark with all its changes. */
  readonly change: (mark: Mark) => void;
  readonly undo: () => void;
  /** Removes texts in which nothing was written. */
  readonly dropEmpty: () => void;
}

/** The marks of a picture, which can be undone one by one. */
export function useMarks(size: Size | undefined): Marks {
  const [kept, setKept] = useState<readonly Mark[]>([]);
  const [drawn, draw] = useState<Mark>();
  const written = kept.filter(isWritten);
  const add = (mark: Mark) => setKept([...written, mark]);
  return {
    shown: drawn ? [...kept, drawn] : kept,
    written,
    isEmpty: kept.length === 0,
    current: kept.at(-1),
    draw,
    keep: () => {
      if (drawn && size && isMeant(drawn, size)) add(drawn);
      draw(undefined);
    },
    add,
    change: (mark) => setKept([...kept.slice(0, -1), mark]),
    undo: () => setKept(kept.slice(0, -1)),
    dropEmpty: () => setKept(written),
  };
}

export const tools: readonly Tool[] = ['arrow', 'box', 'text', 'blur', 'crop'];
