import { EditorState } from '@codemirror/state';
import { expect, test } from 'vitest';
import { continueList, lineStart } from './continue-list.ts';

/** The text after Enter at `|`. */
function afterEnter(text: string): string {
  const anchor = text.indexOf('|');
  const state = EditorState.create({ doc: text.replace('|', ''), selection: { anchor } });
  let after = state;
  continueList({ state, dispatch: (transaction) => (after = transaction.state) });
  const { head } = after.selection.main;
  return `${after.doc.sliceString(0, head)}|${after.doc.sliceString(head)}`;
}

test.each([
  ['- one|', '- one\n- |'],
  ['  * one| two', '  * one\n  * | two'],
  ['9. nine|', '9. nine\n10. |'],
  ['3) three|', '3) three\n4) |'],
  ['- [x] done|', '- [x] done\n- [ ] |'],
  ['> said|', '> said\n> |'],
  ['> - said|', '> - said\n> - |'],
  ['- one\n- |', '- one\n\n|'],
  ['> |', '\n|'],
])('Enter in %j gives %j', (before, after) => {
  expect(afterEnter(before)).toBe(after);
});

test.each(['plain|', '|- one', '1.5 kW|', '--- a|', '**bold** text|'])('Enter in %j continues no list', (text) => {
  expect(afterEnter(text)).toBe(text);
});

test('a number keeps its gap', () => {
  expect(lineStart('1.  one')).toEqual({ length: 4, next: '2.  ' });
});
