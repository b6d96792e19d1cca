/** A place in a picture, in its pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export type Tool = 'arrow' | 'box' | 'text' | 'blur' | 'crop';

/** A mark between two places. A text begins at the first. */
export interface Mark {
  readonly tool: Tool;
  readonly from: Point;
  readonly to: Point;
  readonly text?: string | undefined;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Area extends Point, Size {}

/** The rectangle of a mark, in whole pixels of the picture. */
export function areaOf({ from, to }: Pick<Mark, 'from' | 'to'>, { width, height }: Size): Area {
  const within = (value: number, most: number) => Math.round(Math.min(most, Math.max(0, value)));
  const [left, right] = [within(Math.min(from.x, to.x), width), within(Math.max(from.x, to.x), width)];
  const [top, bottom] = [within(Math.min(from.y, to.y), height), within(Math.max(from.y, to.y), height)];
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** Returns the part of the picture that stays: the area of the last crop, or all of it. */
export function keptArea(marks: readonly Mark[], size: Size): Area {
  const crop = marks.findLast(({ tool }) => tool === 'crop');
  return crop ? areaOf(crop, size) : { x: 0, y: 0, width: size.width, height: size.height };
}

/** Whether the mark is large enough to be intentional. */
export function isMeant({ tool, from, to }: Mark, { width }: Size): boolean {
  const least = width / 200;
  const [x, y] = [Math.abs(to.x - from.x), Math.abs(to.y - from.y)];
  if (tool === 'text') return true;
  return tool === 'arrow' ? Math.hypot(x, y) > least : x > least && y > least;
}

/** Whether the mark shows anything: a text without words does not. */
export function isWritten({ tool, text = '' }: Mark): boolean {
  return tool !== 'text' || text.trim() !== '';
}

/** Returns a mark in the middle of the picture, for placing it with the keyboard. */
export function middleMark(tool: Tool, { width, height }: Size): Mark {
  const part = tool === 'crop' ? 0.1 : 0.4;
  const from = { x: width * part, y: height * part };
  return { tool, from, to: { x: width - from.x, y: height - from.y }, ...(tool === 'text' && { text: '' }) };
}

/** Moves a mark, or only its end, within the picture. */
export function moveMark(mark: Mark, by: Point, isEndOnly: boolean, size: Size): Mark {
  const move = ({ x, y }: Point): Point => ({
    x: Math.min(size.width, Math.max(0, x + by.x)),
    y: Math.min(size.height, Math.max(0, y + by.y)),
  });
  return { ...mark, from: isEndOnly ? mark.from : move(mark.from), to: move(mark.to) };
}
