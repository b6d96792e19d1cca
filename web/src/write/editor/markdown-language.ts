import { defineLanguageFacet, HighlightStyle, Language, syntaxHighlighting } from '@codemirror/language';
import { tags } from '@lezer/highlight';
import { parser, Table } from '@lezer/markdown';

/**
 * CommonMark with tables, as entries have it. The package `lang-markdown` would bring HTML, CSS and JavaScript along.
 */
const markdown = new Language(defineLanguageFacet(), parser.configure([Table]), [], 'markdown');

const look = HighlightStyle.define([
  { tag: tags.heading, class: 'md-heading' },
  { tag: tags.strong, class: 'md-strong' },
  { tag: tags.emphasis, class: 'md-emphasis' },
  { tag: tags.monospace, class: 'md-code' },
  { tag: [tags.link, tags.url], class: 'md-link' },
  { tag: [tags.processingInstruction, tags.contentSeparator], class: 'md-mark' },
  { tag: tags.quote, class: 'md-quote' },
]);

export const markdownLanguage = [markdown, syntaxHighlighting(look)];
