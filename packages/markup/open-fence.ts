import { createParser } from './parse.js';

const parser = createParser();
const probe = 'probe';

/** Returns a text in CommonMark with its last code block closed. */
export function closeFence(source: string): string {
  const last = parser.parse(`${source}\n\n${probe}`).tokens.at(-1);
  const isOpen = last?.type === 'fence' && last.content.trimEnd().endsWith(`\n${probe}`);
  return isOpen ? `${source.replace(/\n$/, '')}\n${last.markup}` : source;
}
