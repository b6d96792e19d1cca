import type { MarkdownIt, StateInline } from 'markdown-it';
import { readImageSize } from './image-size.js';
import { wrapRule } from './wrap-rule.js';

/** Adds rules beyond CommonMark: image sizes, stars and underscores within names, and Windows paths. */
export function addInlineRules(markdown: MarkdownIt): void {
  wrapRule(markdown.inline.ruler, 'emphasis', (rule) => (state, isSilent) => {
    if (!isSilent && takeNameSign(state)) return true;
    const around = isSilent ? undefined : textAround(state);
    const first = state.delimiters.length;
    if (!rule(state, isSilent)) return false;
    if (!around?.signs.startsWith('*')) return true;
    const [opens, closes] = [!isWildcard(around), !beginsName(around)];
    for (const delimiter of state.delimiters.slice(first)) {
      delimiter.open &&= opens;
      delimiter.close &&= closes;
    }
    return true;
  });
  wrapRule(markdown.inline.ruler, 'image', (rule) => (state, isSilent) => {
    if (!rule(state, isSilent)) return false;
    const image = isSilent ? undefined : state.tokens.at(-1);
    for (let size = readImageSize(state.src, state.pos); size; size = readImageSize(state.src, state.pos)) {
      state.pos = size.end;
      for (const [name, value] of size.attributes) image?.attrSet(name, value);
    }
    return true;
  });
  markdown.inline.ruler.before('escape', 'windows-path', takeWindowsPath);
}

/**
 * Letters and digits, except those of scripts in which emphasis often begins or ends within a run of letters.
 */
const letterBefore = /[\p{L}\p{N}](?<![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}])$/u;
const letterAfter = /^(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}])[\p{L}\p{N}]/u;
const jointBefore = /[\p{L}\p{N}][.:/\\-](?:_+[\p{L}\p{N}]+)?$|_\*$/u;
const jointAfter = /^(?:[\p{L}\p{N}]+_+)?[.:/\\-][\p{L}\p{N}]|^\*_/u;
/** Maximum length of the part of a name that is examined, in UTF-16 code units. */
const nameLength = 40;

interface TextAround {
  /** The run of stars or underscores. */
  readonly signs: string;
  readonly end: number;
  readonly before: string;
  readonly after: string;
}

/** Returns the text on both sides of the stars or underscores at the position of the parser. */
function textAround(state: StateInline): TextAround | undefined {
  const sign = state.src[state.pos];
  if (sign !== '*' && sign !== '_') return undefined;
  let end = state.pos;
  while (end < state.posMax && state.src[end] === sign) end += 1;
  const before = state.src.slice(Math.max(0, state.pos - nameLength), state.pos);
  return {
    signs: state.src.slice(state.pos, end),
    end,
    before,
    after: state.src.slice(end, Math.min(end + nameLength, state.posMax)),
  };
}

/** Treats the stars of `2*3*4`, and the underscores at the joints of `__init__.py`, `SR:_MG_` and `x_{i}`, as text. */
function takeNameSign(state: StateInline): boolean {
  const around = textAround(state);
  if (!around) return false;
  const { signs, end, before, after } = around;
  const wildcard = wildcardLength(around);
  const isInside =
    wildcard > 0 ||
    isFace(around) ||
    (signs.startsWith('*')
      ? (letterBefore.test(before) && letterAfter.test(after)) || (inBrackets.test(after) && opening.test(before))
      : jointBefore.test(before) ||
        jointAfter.test(after) ||
        (after.startsWith('{') && /[\p{L}\p{N})}]$/u.test(before)));
  if (!isInside) return false;
  state.pending += state.src.slice(state.pos, end + wildcard);
  state.pos = end + wildcard;
  return true;
}

/** Signs up to and including the next stars or underscores: the rest of `*.*`, `*\/*` and `_._`. */
const signsToStar = /^([!-)+-/:-@[\]^_{-~]+)\*+/;
const signsToLine = /^([!-/:-@[\]^{-~]+)_+/;
const wordStart = /(?:^|[\s([{<"'/=:;,|])$/;

/**
 * Returns the length of the rest of a wildcard such as `*.*`, which contains no letters or digits; 0 for other signs.
 */
function wildcardLength({ signs, before, after }: TextAround): number {
  const [rest = '', inner = ''] = (signs.startsWith('*') ? signsToStar : signsToLine).exec(after) ?? [];
  return wordStart.test(before) && (signs.length === 1 || /^[./]+$/.test(inner)) ? rest.length : 0;
}

/** Whether a sign is part of a face such as `-_-`, or of `-*-`. */
function isFace({ signs, before, after }: TextAround): boolean {
  const [left = '', right = ''] = [before.at(-1), after.at(0)];
  return signs.length === 1 && (/[-^~=@;.]/.test(left) ? left === right : /[<>]/.test(left) && /[<>]/.test(right));
}

const opening = /[([{<"']$/;
const inBrackets = /^[)\]}>"']/;
/**
 * Text after the star of `/tmp/*.log`, `SR:*:BPM` and `a, b*, c`. Emphasis that follows a sign does not begin with such
 * text.
 */
const joint = /^(?:[.,;:!?%$|=\\/)\]}]|-\p{L}|_)/u;

/**
 * Whether a star between signs is a wildcard or an operator, which does not begin emphasis: `SR:*:BPM`, `(a)*(b)`,
 * `x^*y`.
 */
function isWildcard({ signs, before, after }: TextAround): boolean {
  // The star is part of `*/`, which ends a comment in source code.
  if (/^\/(?:\s|$)/.test(after)) return true;
  if (before === '' || /\s$/.test(before) || opening.test(before)) return false;
  if (joint.test(after) || before.endsWith('^')) return true;
  return signs === '*' && /[)\]}]$/.test(before) && /^(?:[([{]|[-+−]?[\w\\])/.test(after);
}

/** Whether a star does not end emphasis, because it is the start or the middle of a name: `(*.txt)`, `test/*.py`. */
function beginsName({ before, after }: TextAround): boolean {
  return /(?:[([{<]|(?:^|\s)["'])$/.test(before) || (/[.:/\\=-]$/.test(before) && /^[.:/\\-]\p{L}/u.test(after));
}

/** Beginning of a path: `C:`, `..` or `%TEMP%`. */
const pathStart = /(?:(?:^|[^\p{L}\p{N}])[a-z]:|(?:^|[\s("'])(?:\.{1,2}|%\w+%))$/iu;
const share = /^\\\\[\p{L}\p{N}]/u;
/** Part of a path. Folders may have spaces in their names, as in `C:\Program Files (x86)\_tools`. */
const pathPart = /[^\s<>"|`[\]]*(?:(?: [^\s<>"|`[\]\\]{1,40}){1,4}\\[^\s<>"|`[\]]*){0,20}/y;

/** Treats a path such as `C:\temp\_new` or `\\server\share` as text, because its backslashes are not escapes. */
function takeWindowsPath(state: StateInline, isSilent: boolean): boolean {
  const { src, pos, posMax } = state;
  if (src[pos] !== '\\') return false;
  const before = src.slice(Math.max(0, pos - nameLength), pos);
  const isShare = share.test(src.slice(pos, pos + 4)) && /(?:^|[\s("'*_])$/.test(before);
  if (!isShare && !pathStart.test(before)) return false;
  pathPart.lastIndex = pos;
  let end = Math.min(pos + (pathPart.exec(src)?.[0].length ?? 0), posMax);
  // Signs at the end of a path are punctuation of the sentence, unless they are a whole part of the path, as in
  // C:\temp\*.
  while (end > pos + 1 && /[*_).,;:!?']/.test(src[end - 1] ?? '') && src[end - 2] !== '\\') end -= 1;
  if (!isSilent) state.pending += src.slice(pos, end);
  state.pos = end;
  return true;
}
