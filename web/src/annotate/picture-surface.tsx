import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { drawMarks } from './draw-marks.ts';
import { middleMark, moveMark, type Point, type Tool } from './mark.ts';
import type { Marks } from './use-marks.ts';

interface PictureSurfaceProps {
  readonly picture: ImageBitmap;
  readonly marks: Marks;
  readonly tool: Tool;
  /** Called when a text was placed, so that the user can type its words. */
  readonly onText: () => void;
  readonly surface: RefObject<HTMLDivElement | null>;
}

/** Part of the width of the picture by which an arrow key moves a mark. */
const step = 0.01;

/** The picture, on which marks are drawn with the pointer, or placed with Enter and moved with the arrow keys. */
export function PictureSurface({ picture, marks, tool, onText, surface }: PictureSurfaceProps) {
  const { t } = useTranslation('annotate');
  const canvas = useRef<HTMLCanvasElement>(null);
  const start = useRef<Point>(undefined);
  const { shown } = marks;
  useEffect(() => {
    if (canvas.current) drawMarks(canvas.current, picture, shown);
  }, [picture, shown]);
  const placeOf = (event: PointerEvent): Point => {
    const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
    return {
      x: ((event.clientX - left) / width) * picture.width,
      y: ((event.clientY - top) / height) * picture.height,
    };
  };
  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    const from = placeOf(event);
    if (tool === 'text') {
      // The field gets the focus, not the picture.
      event.preventDefault();
      marks.add({ tool, from, to: from, text: '' });
      return onText();
    }
    event.currentTarget.setPointerCapture(event.pointerId);
    start.current = from;
  };
  const onPointerMove = (event: PointerEvent) => {
    if (start.current) marks.draw({ tool, from: start.current, to: placeOf(event) });
  };
  const onPointerUp = () => {
    start.current = undefined;
    marks.keep();
  };
  const onKeyDown = surfaceKeys({ picture, marks, tool, onText });
  return (
    <div
      ref={surface}
      className="picture-surface"
      role="application"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys draw on it
      tabIndex={0}
      aria-label={t('surface')}
      aria-describedby="annotate-keys"
      onKeyDown={onKeyDown}
    >
      <canvas
        ref={canvas}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={onPointerUp}
      />
    </div>
  );
}

/** Handles the keys: Enter places a mark in the middle; arrow keys move the last one, with Shift only its end. */
function surfaceKeys({
  picture,
  marks,
  tool,
  onText,
}: Omit<PictureSurfaceProps, 'surface'>): (event: KeyboardEvent) => void {
  return (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey) return;
    const by = picture.width * step;
    const arrows: Readonly<Record<string, Point>> = {
      ...{ ArrowLeft: { x: -by, y: 0 }, ArrowRight: { x: by, y: 0 } },
      ...{ ArrowUp: { x: 0, y: -by }, ArrowDown: { x: 0, y: by } },
    };
    const arrow = arrows[event.key];
    if (event.key === 'Enter') {
      marks.add(middleMark(tool, picture));
      if (tool === 'text') onText();
    } else if (arrow && marks.current) marks.change(moveMark(marks.current, arrow, event.shiftKey, picture));
    else if (event.key === 'Delete' && marks.current) marks.undo();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
}
