import type { Marks } from './text-model.js';

/**
 * Writes an exponent or index in plain characters: `10` and a superscript `-9` become `10^-9`. Without the `^`, a
 * reader would see a different number.
 */
export function writtenScript(text: string, script: Marks['script']): string {
  const inner = text.trim();
  if (script === undefined || inner === '') return text;
  const sign = script === 'above' ? '^' : '_';
  return /^[-+−–]?[\p{L}\p{N}]+$|^\P{L}$/u.test(inner)
    ? text.replace(inner, () => sign + inner)
    : text.replace(inner, () => `${sign}(${inner})`);
}
