import type { Markup } from '../../entries/text-renderer.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { Type } from '../../kernel/json-schema.js';

/** The query parameter that names the markup of a text. */
export const markupQuery = {
  markup: Type.Optional(
    Type.String({
      description: 'Markup of the text: `commonmark` (default) or `none`.',
      examples: ['commonmark'],
    }),
  ),
};

/**
 * Returns the markup with a name; commonmark if the name is absent or blank.
 * @throws Fault invalid `entry.unknown-markup`
 */
export function parseMarkup(value: string | undefined): Markup {
  const markup = value?.trim().toLowerCase() || 'commonmark';
  if (markup === 'commonmark' || markup === 'none') return markup;
  throw new Fault('invalid', 'entry.unknown-markup', `Unknown markup ${quoted(value)}. Use commonmark or none.`);
}
