import { codeSpan, escapeSigns, escapeText, toDestination } from './escape-text.js';
import type { Marks, Run, Target, Targets } from './text-model.js';
import { writtenScript } from './written-script.js';

/** A mark around other pieces. Both marks of a pair are omitted if the parser would not recognise them. */
interface Delimiter {
  readonly text: '**' | '*';
  readonly pair: object;
  readonly isOpening: boolean;
}
type InlinePart = string | Delimiter;
type TextRun = Extract<Run, { readonly kind: 'text' }>;

/**
 * Parser for which a text is written. `typed`: that of `packages/markup`, in which lines end as typed and signs inside
 * names are text, so that the source of a text stays readable.
 */
export type Dialect = 'commonmark' | 'typed';

/** Context in which text is written. A cell or a heading has no lines. */
export interface InlineContext {
  readonly targets: Targets;
  readonly dialect: Dialect;
  readonly hasLines: boolean;
  /** Called for an image without a target. */
  readonly onMissing: (address: string) => void;
}

/** Writes text with its marks, links and images. */
export function writeInline(runs: readonly Run[], context: InlineContext): string {
  return join(writeLinked(runs, context), context);
}

function writeLinked(runs: readonly Run[], context: InlineContext): InlinePart[] {
  return groupsOf(runs, ({ link }) => link).flatMap((group): InlinePart[] => {
    const address = group[0]?.marks.link;
    const parts = writeStrong(group, context);
    if (address === undefined) return parts;
    return writeLink(join(parts, context), plainOf(group), address, context.targets);
  });
}

function writeLink(label: string, plain: string, address: string, targets: Targets): InlinePart[] {
  const target: Target = targets[address] ?? { kind: 'nowhere' };
  const destination = destinationOf(target);
  const inner = label.trim();
  const [before, after] = spaceAround(label);
  const shown = plain.trim();
  const isElsewhere = destination === undefined || !/^(#|attachment\/)/.test(destination);
  const isBare = isElsewhere && (shown === destination || shown === address.trim());
  // An escape would cut short the link that a client makes of an address.
  if (isBare && /^(https?|ftp):\/\/[^\s<>]+$/i.test(shown)) return [before, `<${shown}>`, after];
  if (destination === undefined) {
    // Readers still need the address, unless the label shows it.
    const isHidden = target.kind === 'nowhere' && !meansNothing.test(address) && !shown.includes(address.trim());
    return isHidden ? [before, inner, ` (${escapeText(address.trim().replace(/\s+/g, ' '))})`, after] : [label];
  }
  return inner === '' ? [label] : [before, `[${inner}](${destination})`, after];
}

/** An address that has no meaning outside of its page. */
const meansNothing = /^\s*(?:$|#|(?:javascript|vbscript|data|about|blob):)/i;

function destinationOf(target: Target): string | undefined {
  if (target.kind === 'attachment') return `attachment/${target.id}`;
  if (target.kind === 'entry') return target.id === undefined ? undefined : `#${target.id}`;
  return target.kind === 'page' && target.address.trim() !== '' ? toDestination(target.address) : undefined;
}

function writeStrong(runs: readonly Run[], context: InlineContext): InlinePart[] {
  return groupsOf(runs, ({ isStrong }) => isStrong).flatMap((group) =>
    around('**', group[0]?.marks.isStrong === true && isMarkable(group, context), writeEmphasis(group, context)),
  );
}

function writeEmphasis(runs: readonly Run[], context: InlineContext): InlinePart[] {
  return groupsOf(runs, ({ isEmphasis }) => isEmphasis).flatMap((group) =>
    around(
      '*',
      group[0]?.marks.isEmphasis === true && isMarkable(group, context),
      joinedScripts(group).map((run) => writeRun(run, context)),
    ),
  );
}

/** Whether the parser would recognise marks around these runs. Next to signs, it treats some stars as text. */
function isMarkable(runs: readonly Run[], { dialect }: InlineContext): boolean {
  return (
    dialect === 'commonmark' || /^[("“]?[\p{L}\p{N}](?:.*[\p{L}\p{N}])?[.,:;!?)"”%]?$/su.test(plainOf(runs).trim())
  );
}

/** Joins runs that belong to one exponent or one piece of code. */
function joinedScripts(runs: readonly Run[]): Run[] {
  const joined: Run[] = [];
  for (const given of runs) {
    const run = given.kind === 'text' && given.marks.isCode ? withWrittenScript(given) : given;
    const last = joined.at(-1);
    const isSame =
      run.kind === 'text' &&
      last?.kind === 'text' &&
      last.marks.isCode === run.marks.isCode &&
      last.marks.script === run.marks.script;
    if (isSame) joined[joined.length - 1] = { ...last, text: last.text + run.text };
    else joined.push(run);
  }
  return joined;
}

function withWrittenScript({ text, marks }: TextRun): TextRun {
  return { kind: 'text', text: writtenScript(text, marks.script), marks: { ...marks, script: undefined } };
}

function writeRun(run: Run, context: InlineContext): string {
  if (run.kind === 'break') return context.hasLines ? '\n' : ' ';
  if (run.kind === 'image') return writeImage(run, context);
  const { marks } = run;
  const text = writtenScript(run.text, marks.script);
  if (!marks.isCode || text.trim() === '') {
    return context.dialect === 'typed' && marks.link === undefined ? escapeSigns(text) : escapeText(text);
  }
  const code = codeSpan(text.replace(/\s+/g, ' '));
  return context.hasLines ? code : code.replaceAll('|', '\\|');
}

function writeImage(
  { address, alt, width, height, isBackground }: Extract<Run, { readonly kind: 'image' }>,
  { targets, onMissing }: InlineContext,
): string {
  const target = targets[address] ?? { kind: 'nowhere' };
  const label = escapeText(alt.replace(/\s+/g, ' '));
  if (address === '') return label;
  if (isBackground && (target.kind === 'ornament' || target.kind === 'page')) return '';
  if (target.kind === 'ornament') return label === '' ? escapeText(`(${nameOf(address)})`) : label;
  if (target.kind === 'attachment') {
    const size = [width === undefined ? '' : `width=${width}`, height === undefined ? '' : `height=${height}`]
      .filter((one) => one !== '')
      .join(' ');
    return `![${label}](attachment/${target.id})${size === '' ? '' : `{${size}}`}`;
  }
  if (target.kind === 'page') return `![${label}](${toDestination(target.address)})`;
  onMissing(address);
  const shown = escapeText(address.slice(0, 200).replace(/\s+/g, ' '));
  return `(missing image: ${label === '' ? shown : `${label}, ${shown}`})`;
}

/** Returns the name of a file in an address, without its extension. */
function nameOf(address: string): string {
  return /([^/?#]*?)(?:[.]\w{1,5})?(?:[?#].*)?$/s.exec(address.slice(0, 500))?.[1] || 'image';
}

function groupsOf(runs: readonly Run[], keyOf: (marks: Marks) => unknown): Run[][] {
  const groups: Run[][] = [];
  for (const run of runs) {
    const first = groups.at(-1)?.[0];
    if (first && keyOf(first.marks) === keyOf(run.marks)) groups.at(-1)?.push(run);
    else groups.push([run]);
  }
  return groups;
}

const plainOf = (runs: readonly Run[]) => runs.map((run) => (run.kind === 'text' ? run.text : ' ')).join('');

/**
 * Puts delimiters around pieces. White space stays outside, because the parser does not recognise delimiters next to
 * it.
 */
function around(text: '**' | '*', isMarked: boolean, parts: readonly InlinePart[]): InlinePart[] {
  const first = parts.findIndex((part) => typeof part !== 'string' || part.trim() !== '');
  if (!isMarked || first < 0) return [...parts];
  const last = parts.findLastIndex((part) => typeof part !== 'string' || part.trim() !== '');
  const inner = parts.slice(first, last + 1);
  const [before] = spaceAround(inner[0]);
  const [, after] = spaceAround(inner.at(-1));
  if (typeof inner[0] === 'string') inner[0] = inner[0].trimStart();
  const end = inner.at(-1);
  if (typeof end === 'string') inner[inner.length - 1] = end.trimEnd();
  const pair = {};
  return [
    ...parts.slice(0, first),
    before,
    { text, pair, isOpening: true },
    ...inner,
    { text, pair, isOpening: false },
    after,
    ...parts.slice(last + 1),
  ];
}

function spaceAround(part: InlinePart | undefined): [before: string, after: string] {
  if (typeof part !== 'string') return ['', ''];
  const trimmed = part.trimStart();
  return [part.slice(0, part.length - trimmed.length), trimmed.slice(trimmed.trimEnd().length)];
}

const attempts = 5;
/** A trailing backslash that is not escaped. */
const endsInBackslash = /(?<!\\)(?:\\\\)*\\$/;
/** A sign that a backslash before it would escape, or a line end that it would turn into a line break. */
const escapable = /^[!-/:-@[-`{-~\n]/;

/** Joins pieces. Omits delimiters that the parser would not recognise, or would combine with others. */
function join(all: readonly InlinePart[], { dialect }: InlineContext): string {
  let parts = all.filter((part) => part !== '');
  for (let attempt = 0; attempt < attempts; attempt++) {
    const wrong = new Set<object>();
    parts.forEach((part, at) => {
      if (typeof part !== 'string' && !isTaken(parts, at, part, dialect)) wrong.add(part.pair);
    });
    if (wrong.size === 0) break;
    parts = parts.filter((part) => typeof part === 'string' || !wrong.has(part.pair));
    if (attempt === attempts - 1) parts = parts.filter((part) => typeof part === 'string');
  }
  const texts: string[] = [];
  for (const part of parts) {
    const next = typeof part === 'string' ? part : part.text;
    // Two consecutive pieces of code would be parsed as one.
    if (texts.at(-1)?.endsWith('`') && next.startsWith('`')) texts.push(' ');
    if (endsInBackslash.test(texts.at(-1) ?? '') && escapable.test(next)) texts.push('\\');
    // An exclamation mark directly before a link would turn it into an image.
    if (texts.at(-1)?.endsWith('!') && next.startsWith('[')) texts.push(`${texts.pop()?.slice(0, -1)}\\!`);
    texts.push(next);
  }
  if (endsInBackslash.test(texts.at(-1) ?? '')) texts.push('\\');
  return texts.join('');
}

/**
 * Whether the parser recognises the delimiter between its neighbours. A character outside of the basic plane may be a
 * sign or a letter.
 */
function isTaken(parts: readonly InlinePart[], at: number, { isOpening }: Delimiter, dialect: Dialect): boolean {
  const inward = neighbour(parts, at, isOpening ? 1 : -1, isOpening);
  const outward = neighbour(parts, at, isOpening ? -1 : 1, isOpening);
  if (inward === undefined || outward === undefined || inward === '' || /\s/.test(inward)) return false;
  if (dialect === 'typed') return (isOpening ? /^[\s("“]?$/ : /^[\s.,:;!?)"”]?$/).test(outward);
  const isSign = /[\p{P}\p{S}\ud800-\udfff]/u.test(inward);
  return !isSign || outward === '' || /[\s\p{P}\p{S}]/u.test(outward);
}

/** Returns the next character; empty at an end, undefined next to a delimiter of another kind. */
function neighbour(parts: readonly InlinePart[], at: number, step: 1 | -1, isOpening: boolean): string | undefined {
  for (let next = at + step; next >= 0 && next < parts.length; next += step) {
    const part = parts[next] as InlinePart;
    if (typeof part === 'string') return part.at(step === 1 ? 0 : -1) ?? '';
    if (part.isOpening !== isOpening) return undefined;
  }
  return '';
}
