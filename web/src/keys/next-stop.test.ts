import { expect, test } from 'vitest';
import { type CaretUnit, nextStop } from './next-stop.ts';

test.each<[CaretUnit, string, string]>([
  ['grapheme', 'e|t|👩‍🔬|é| |🇨🇭|', '|e|t|👩‍🔬|é| |🇨🇭'],
  ['word', 'etch|, x|; pumpé| 21.5| …|', '|etch, |x; |pumpé |21.5 …'],
  ['line', 'etch x done|', '|etch x done'],
])('by %s: each stop forward, and each stop back', (unit, forward, back) => {
  expect(withStops(forward.replaceAll('|', ''), unit, false)).toBe(forward);
  expect(withStops(back.replaceAll('|', ''), unit, true)).toBe(back);
});

test.each<CaretUnit>(['grapheme', 'word', 'line'])('by %s: an empty text has one position', (unit) => {
  expect([nextStop('', 0, unit, false), nextStop('', 0, unit, true)]).toEqual([0, 0]);
});

test('by line: within the line of the caret', () => {
  const text = 'one\ntwo\n\nfour';
  expect([0, 3, 4, 6, 8, 9].map((caret) => nextStop(text, caret, 'line', true))).toEqual([0, 0, 4, 4, 8, 9]);
  expect([0, 3, 4, 6, 8, 9].map((caret) => nextStop(text, caret, 'line', false))).toEqual([3, 3, 7, 7, 8, 13]);
});

/** Marks in the text where the caret stops on its way from one end to the other. */
function withStops(text: string, unit: CaretUnit, isBack: boolean): string {
  const end = isBack ? 0 : text.length;
  let marked = text;
  for (let caret = text.length - end; caret !== end; ) {
    caret = nextStop(text, caret, unit, isBack);
    // The marks before it, if any, are to its left.
    const at = isBack ? caret : caret + marked.length - text.length;
    marked = `${marked.slice(0, at)}|${marked.slice(at)}`;
  }
  return marked;
}
