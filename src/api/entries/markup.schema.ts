import { Type } from 'typebox';
import type { Markup } from '../../entries/text-renderer.js';
import { Fault, quoted } from '../../kernel/fault.js';

/** The query parameter that says how a text is written. */
export const markupQuery = {
  markup: Type.Optional(
    Type.String({
      description: 'How the text is written: `commonmark` (default) or `none`.',
      examples: ['commonmark'],
    }),
  ),
};

/** @throws Fault invalid `entry.unknown-markup` */
export function markupOf(value: string | undefined): Markup {
  const markup = value?.trim().toLowerCase() || 'commonmark';
  if (markup === 'commonmark' || markup === 'none') return markup;
  throw new Fault('invalid', 'entry.unknown-markup', `There is no markup ${quoted(value)}. Use commonmark or none.`);
}
