/** Distance that a key moves the caret. */
export type CaretUnit = 'grapheme' | 'word' | 'line';

/** Returns the next position of the caret of a text field: forward the end of a unit, back its start. */
export function nextStop(text: string, caret: number, unit: CaretUnit, isBack: boolean): number {
  if (unit === 'line') return isBack ? text.slice(0, caret).lastIndexOf('\n') + 1 : `${text}\n`.indexOf('\n', caret);
  const segments = [...new Intl.Segmenter(undefined, { granularity: unit }).segment(text)];
  const stops = segments
    .filter(({ isWordLike }) => isWordLike !== false)
    .map(({ index, segment }) => (isBack ? index : index + segment.length));
  const next = isBack ? stops.findLast((one) => one < caret) : stops.find((one) => one > caret);
  return next ?? (isBack ? 0 : text.length);
}
