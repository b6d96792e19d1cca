import { Parser } from 'htmlparser2';
import { HtmlElements } from './html-elements.js';
import { TextBuilder } from './text-builder.js';
import type { ParsedText } from './text-model.js';

/** Maximum number of open elements, because the parser searches all of them at each end tag. */
const maxOpen = 500;
/** Maximum length of a style sheet that is searched for pictures. */
const maxSheet = 100_000;
/** Start of an element that can contain others. */
const deepening = /^<(?!(?:br|img|hr|input|wbr|script|style)\b)[a-z]/i;
const neverShown = /^(script|style|title|template|noscript|noembed|noframes|iframe|datalist)$/;

/**
 * Reads HTML as a browser shows it, in linear time. Elements nested more deeply than any editor produces are omitted,
 * but their text is kept.
 */
export function readHtml(html: string): ParsedText {
  const builder = new TextBuilder();
  const elements = new HtmlElements(builder);
  let hidden = 0;
  let open = 0;
  let sheet: string | undefined;
  const parser: Parser = new Parser({
    onopentag(name, attributes) {
      open += 1;
      if (neverShown.test(name)) {
        hidden += 1;
        builder.isLossy ||= name !== 'title';
      }
      if (name === 'style') sheet = '';
      if (name === 'iframe') elements.embed(name, attributes);
      else if (hidden === 0) elements.open(name, attributes);
    },
    onclosetag(name) {
      open -= 1;
      if (name === 'style') elements.showSheet(sheet ?? '');
      if (name === 'style') sheet = undefined;
      if (neverShown.test(name)) hidden -= 1;
      else if (hidden === 0) elements.close();
    },
    ontext(text) {
      if (hidden === 0) elements.text(text);
      else if (sheet !== undefined && sheet.length < maxSheet) sheet += text;
    },
  });
  for (const part of html.split(/(?=<)/)) {
    parser.write(open < maxOpen || !deepening.test(part) ? part : part.replace(/^<[^>]*>?/, ' '));
  }
  parser.end();
  builder.isLossy ||= elements.isLossy;
  return builder.finish();
}
