import { fold } from './tokenize.js';

/** A folded text whose characters can be traced back to the original. */
export interface FoldedText {
  readonly folded: string;
  /** Returns the range of the original text from which a non-empty range of the folded text was made. */
  original(start: number, end: number): [start: number, end: number];
}

/**
 * Unit that is folded as a whole: a character with the marks and invisible characters after it, or a run of Hangul.
 * Letters of Hangul combine into syllables, even across characters that folding removes.
 */
const hangul = String.raw`[\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff\uffa0-\uffdc]`;
const removed = String.raw`[\u0300-\u036f\u20e3]|[\u00ad\u200b-\u200d\u2060\ufeff]|\p{VS}`;
const unit = new RegExp(
  String.raw`(?:${hangul}(?:${hangul}|${removed})*|[\s\S])[\p{M}\uff9e\uff9f\u00ad\u200b-\u200d\u2060\ufeff]*`,
  'gu',
);
const ascii = /^[\0-\x7f]*$/;

/** Returns the text folded like `fold`; undefined when its characters cannot be traced back. */
export function foldTraceably(text: string): FoldedText | undefined {
  const whole = fold(text);
  if (ascii.test(text)) return { folded: whole, original: (start, end) => [start, end] };
  const starts: number[] = [];
  const ends: number[] = [];
  let joined = '';
  for (const { 0: one, index } of text.matchAll(unit)) {
    const folded = fold(one);
    joined += folded;
    for (let at = 0; at < folded.length; at++) {
      starts.push(index);
      ends.push(index + one.length);
    }
  }
  if (joined !== whole) return undefined;
  return { folded: whole, original: (start, end) => [starts[start] as number, ends[end - 1] as number] };
}
