import { describe, expect, test } from 'vitest';
import { changeContent, type DraftFile, emptyContent, firstWords, replaceContent } from './draft.ts';

test.each([
  ['\n\n## Beam **lost** in `SR:03`\n\nat 03:47', 'Beam lost in SR:03 at 03:47'],
  ['- one\n- two', 'one two'],
  ['![Plot](attachment/1){width=40} see [report](https://a.example)', 'Plot see report'],
  ['| PV | Value |\n|---|---|\n| A | 3 |', 'PV | Value A | 3'],
  ['200 mA - 3', '200 mA - 3'],
  ['', ''],
  ['word '.repeat(100), 'word '.repeat(32).trim()],
])('the first words of %j are %j', (text, words) => {
  expect(firstWords(text)).toBe(words);
});

describe('removed files', () => {
  const file = (id: string): DraftFile => ({ id, name: id, size: 1, type: '', from: 'added' });
  const withFiles = (...ids: string[]) => ({ ...emptyContent, files: ids.map(file) });

  test('a removed file is remembered until it is brought back', () => {
    const removed = changeContent({ content: withFiles('a', 'b'), removedFiles: [] }, { files: [file('b')] });
    expect(changeContent(removed, { title: 'Later' }).removedFiles).toEqual(['a']);
    expect(changeContent(removed, { files: [file('a'), file('b')] }).removedFiles).toEqual([]);
  });

  test('content of another computer does not reset what was removed here', () => {
    const here = { content: withFiles('b'), removedFiles: ['a'] };
    const removedFiles = (...theirs: [ids: string[], removed?: string[]]) =>
      replaceContent(here, { content: withFiles(...theirs[0]), removedFiles: theirs[1] }).removedFiles;
    expect(removedFiles(['b', 'c'], [])).toEqual(['a']);
    expect(removedFiles(['c'], ['d'])).toEqual(['a', 'd', 'b']);
    expect(removedFiles(['a', 'b'], [])).toEqual([]);
    expect(removedFiles(['a', 'b'])).toBeUndefined();
  });
});
