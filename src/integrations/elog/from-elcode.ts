import { escapeMarkup, type FindFile, fenced } from '../../imports/texts/markup-text.js';

const tag = /\[(\/?)([a-z]+|\*)(?:=("?)([^\]"\n]{0,2000})\3)?\]/gi;
/** Deeper ones are shown as they are written. */
const maxDepth = 30;
const withoutForm = new Set(['u', 'color', 'size', 'font', 'center', 'left', 'right', 'sup', 'sub', 'anchor', 'line']);

/** Converts ELCode, which resembles BBCode, to CommonMark. */
export function fromElcode(text: string, findFile: FindFile): { readonly source: string; readonly isLossy: boolean } {
  const kept: string[] = [];
  let isLossy = false;
  const keep = (source: string) => `\u0001${kept.push(source) - 1}\u0001`;
  const inline = (part: string) => convertTags(part, findFile, () => (isLossy = true));
  const withoutCode = replaceBlocks(text.replaceAll('\u0001', ''), 'code', (_options, code) =>
    keep(`\n\n${fenced(code.replace(/^\n|\n$/g, ''))}\n\n`),
  );
  const source = replaceBlocks(withoutCode, 'table', (options, rows) => {
    isLossy ||= options !== '';
    return keep(`\n\n${toTable(rows, inline)}\n\n`);
  });
  return {
    source: inline(source)
      .replace(/\u0001(\d+)\u0001/g, (_whole, at: string) => kept[Number(at)] ?? '')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
    isLossy,
  };
}

/** Replaces what is between an opening tag and the next closing one. */
function replaceBlocks(text: string, name: string, replace: (options: string, content: string) => string): string {
  const [opening, closing] = [
    new RegExp(`\\[${name}([^\\]\\[\\n]{0,200})\\]`, 'gi'),
    new RegExp(`\\[/${name}\\d?\\]`, 'gi'),
  ];
  let [result, from] = ['', 0];
  for (let open = opening.exec(text); open; open = opening.exec(text)) {
    closing.lastIndex = opening.lastIndex;
    const close = closing.exec(text);
    if (!close) break;
    const options = (open[1] ?? '').trim();
    result += text.slice(from, open.index) + replace(options, text.slice(opening.lastIndex, close.index));
    from = closing.lastIndex;
    opening.lastIndex = from;
  }
  return result + text.slice(from);
}

function toTable(rows: string, inline: (text: string) => string): string {
  const cells = rows
    .split(/\n?\|-[^\n]*\n?|\n(?=\|)/)
    .map((row) => row.trim().replace(/^\||\|$/g, ''))
    .filter((row) => row !== '')
    .map((row) => row.split('|').map((cell) => inline(cell.trim()).replaceAll('\n', ' ')));
  const width = Math.max(1, ...cells.map((row) => row.length));
  const line = (row: readonly string[]) => `| ${Array.from({ length: width }, (_, at) => row[at] ?? '').join(' | ')} |`;
  const [first = [], ...others] = cells;
  return [line(first), `|${' --- |'.repeat(width)}`, ...others.map(line)].join('\n');
}

/** The marks around the content of a tag that is open. */
interface Open {
  readonly name: string;
  readonly argument: string;
  readonly start: number;
}

function convertTags(text: string, findFile: FindFile, onLoss: () => void): string {
  const output: string[] = [];
  const open: Open[] = [];
  let from = 0;
  const close = ({ name, argument, start }: Open) => {
    const content = output.splice(start).join('');
    output.push(wrap(name, argument, content, findFile, onLoss));
  };
  for (const match of text.matchAll(tag)) {
    output.push(escapeLines(text.slice(from, match.index)));
    from = match.index + match[0].length;
    const [name, argument] = [(match[2] as string).toLowerCase(), match[4] ?? ''];
    if (name === '*') output.push('\n- ');
    else if (!isKnown(name)) output.push(escapeMarkup(match[0]));
    else if (match[1] === '' && open.length >= maxDepth) output.push(escapeMarkup(match[0]));
    else if (match[1] === '') open.push({ name, argument, start: output.length });
    else {
      const at = open.findLastIndex((one) => one.name === name);
      // What was opened inside and not closed ends here.
      if (at >= 0) for (const inner of open.splice(at).reverse()) close(inner);
    }
  }
  output.push(escapeLines(text.slice(from)));
  for (const left of open.reverse()) close(left);
  return output.join('');
}

const isKnown = (name: string) => /^(b|i|s|url|email|img|quote|list|h[1-6])$/.test(name) || withoutForm.has(name);

function wrap(name: string, argument: string, content: string, findFile: FindFile, onLoss: () => void): string {
  const inner = content.trim();
  const before = content.slice(0, content.length - content.trimStart().length);
  const after = content.slice(content.trimEnd().length);
  const plain = inner.replace(/\\([^\n])/g, '$1').replace(/\\\n/g, '\n');
  if (inner === '') return content;
  if (name === 'b') return `${before}**${inner}**${after}`;
  if (name === 'i') return `${before}*${inner}*${after}`;
  if (/^h[1-6]$/.test(name)) return `\n\n${'#'.repeat(Number(name[1]))} ${inner.replaceAll('\n', ' ')}\n\n`;
  if (name === 'quote') return `\n\n${inner.replace(/^/gm, '> ')}\n\n`;
  if (name === 'list') return `\n\n${inner}\n\n`;
  if (name === 'email') return `[${inner}](mailto:${toAddress(argument || plain)})`;
  if (name === 'url') {
    const target = argument || plain;
    return `[${inner}](${toAddress(findFile(target) ?? target)})`;
  }
  if (name === 'img') return `![${inner}](${toAddress(findFile(plain) ?? plain)})`;
  onLoss();
  return content;
}

/** An address in a link, without what would end it. */
export function toAddress(address: string): string {
  return address
    .trim()
    .replace(/[\s<>()\\]/g, (character) => encodeURIComponent(character).replace('(', '%28').replace(')', '%29'));
}

function escapeLines(text: string): string {
  return text
    .split('\n')
    .map((line) => escapeMarkup(line))
    .join('\n')
    .replace(/([^\n\u0001])\n(?=[^\n\u0001])/g, '$1\\\n');
}
