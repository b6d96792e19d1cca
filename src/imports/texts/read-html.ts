import { Parser } from 'htmlparser2';
import { HtmlElements } from './html-elements.js';
import { TextBuilder } from './text-builder.js';
import type { ParsedText } from './text-model.js';

/** The parser looks through all open elements at each end of one. */
const maxOpen = 500;
/** Elements that others are in. */
const deepening = /^<(?!(?:br|img|hr|input|wbr|script|style)\b)[a-z]/i;
const neverShown = /^(script|style|title|template|noscript|noembed|noframes|iframe|datalist)$/;

/**
 * Reads HTML as a browser shows it. Takes time in proportion to its length: elements that are nested more deeply than
 * editors do are left out, with their text kept.
 */
export function readHtml(html: string): ParsedText {
  const builder = new TextBuilder();
  const elements = new HtmlElements(builder);
  let hidden = 0;
  let open = 0;
  const parser: Parser = new Parser({
    onopentag(name, attributes) {
      open += 1;
      if (neverShown.test(name)) {
        hidden += 1;
        builder.isLossy ||= name !== 'title';
      }
      if (name === 'iframe') elements.embed(name, attributes);
      else if (hidden === 0) elements.open(name, attributes);
    },
    onclosetag(name) {
      open -= 1;
      if (neverShown.test(name)) hidden -= 1;
      else if (hidden === 0) elements.close();
    },
    ontext(text) {
      if (hidden === 0) elements.text(text);
    },
  });
  for (const part of html.split(/(?=<)/)) {
    parser.write(open < maxOpen || !deepening.test(part) ? part : part.replace(/^<[^>]*>?/, ' '));
  }
  parser.end();
  builder.isLossy ||= elements.isLossy;
  return builder.finish();
}
