import type { MarkdownIt, StateInline } from 'markdown-it';
import { readImageSize } from './image-size.js';
import { wrapRule } from './wrap-rule.js';

/** Adds what is not CommonMark: image sizes, stars and underscores within names, and Windows paths. */
export function addInlineRules(markdown: MarkdownIt): void {
  wrapRule(markdown.inline.ruler, 'emphasis', (rule) => (state, isSilent) => {
    return (!isSilent && takeNameSign(state)) || rule(state, isSilent);
  });
  wrapRule(markdown.inline.ruler, 'image', (rule) => (state, isSilent) => {
    if (!rule(state, isSilent)) return false;
    const size = readImageSize(state.src, state.pos);
    if (!size) return true;
    state.pos = size.end;
    const image = isSilent ? undefined : state.tokens.at(-1);
    for (const [name, value] of size.attributes) image?.attrSet(name, value);
    return true;
  });
  markdown.inline.ruler.before('escape', 'windows-path', takeWindowsPath);
}

/** Letters and digits of scripts that put spaces between words; others have emphasis within a line of letters. */
const letterBefore = /[\p{L}\p{N}](?<![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}])$/u;
const letterAfter = /^(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}])[\p{L}\p{N}]/u;
const jointBefore = /[\p{L}\p{N}][.:/\\-](?:_+[\p{L}\p{N}]+)?$/u;
const jointAfter = /^(?:[\p{L}\p{N}]+_+)?[.:/\\-][\p{L}\p{N}]/u;
/** In UTF-16 code units: as much of a name as is looked at. */
const nameLength = 40;

/** Takes the stars of `2*3*4`, and the underscores at the joints of `__init__.py` and `SR:_MG_`, as text. */
function takeNameSign(state: StateInline): boolean {
  const sign = state.src[state.pos];
  if (sign !== '*' && sign !== '_') return false;
  let end = state.pos;
  while (end < state.posMax && state.src[end] === sign) end += 1;
  const before = state.src.slice(Math.max(0, state.pos - nameLength), state.pos);
  const after = state.src.slice(end, Math.min(end + nameLength, state.posMax));
  const isInside =
    sign === '*'
      ? letterBefore.test(before) && letterAfter.test(after)
      : jointBefore.test(before) || jointAfter.test(after);
  if (!isInside) return false;
  state.pending += state.src.slice(state.pos, end);
  state.pos = end;
  return true;
}

const drive = /(?:^|[^\p{L}\p{N}])[a-z]:$/iu;
const share = /^\\\\[\p{L}\p{N}]/u;
const pathPart = /[^\s<>"|`[\]]*/y;

/** Takes a path such as `C:\temp\_new` or `\\server\share` as text: its backslashes are no escapes. */
function takeWindowsPath(state: StateInline, isSilent: boolean): boolean {
  const { src, pos, posMax } = state;
  if (src[pos] !== '\\') return false;
  const before = src.slice(Math.max(0, pos - 4), pos);
  const isShare = share.test(src.slice(pos, pos + 4)) && /(?:^|[\s("'*_])$/.test(before);
  if (!isShare && !drive.test(before)) return false;
  pathPart.lastIndex = pos;
  let end = Math.min(pos + (pathPart.exec(src)?.[0].length ?? 0), posMax);
  // What ends a path is punctuation of the sentence, unless it is a whole part of it as in C:\temp\*.
  while (end > pos + 1 && /[*_).,;:!?']/.test(src[end - 1] ?? '') && src[end - 2] !== '\\') end -= 1;
  if (!isSilent) state.pending += src.slice(pos, end);
  state.pos = end;
  return true;
}
