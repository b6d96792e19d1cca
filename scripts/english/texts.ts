import type { Scope } from './rules.js';

/** A text of a file, with its first line from 1. Code and quotations in it are blank. */
export interface Text {
  readonly line: number;
  readonly scope: Scope;
  readonly text: string;
}

const blank = (part: string): string => part.replace(/[^\n]/g, ' ');
const withoutQuotations = (text: string): string => text.replace(/`(?:[^`\n]|\n(?!\s*\n))*`|“[^”]*”|"[^"\n]*"/g, blank);

/**
 * Comments, strings, templates and regular expressions of TypeScript. Each is matched whole, so that delimiters in it
 * do not count.
 */
const tokens =
  /(?<=^|[\s{(,;])(?<comment>\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*|\/\*[\s\S]*?\*\/)|(?<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)|(?<=[=(,:[!&|?;>]\s*|^\s*|return\s)\/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/gms;

/** Lists the comments of a program, and its strings of several words when `hasMessages`. */
export function textsOfProgram(source: string, hasMessages: boolean): Text[] {
  const texts: Text[] = [];
  const lineOf = lineCounter(source);
  for (const { groups, index } of source.matchAll(tokens)) {
    const { comment, string } = groups ?? {};
    if (comment !== undefined && !comment.startsWith('// biome-ignore'))
      texts.push({ line: lineOf(index), scope: 'comment', text: withoutQuotations(withoutMarks(comment)) });
    if (!hasMessages || string === undefined) continue;
    const at = lineOf(index);
    if (isSql(string)) texts.push(...textsOfScript(string).map((text) => ({ ...text, line: at + text.line - 1 })));
    else if (isSentence(string)) texts.push({ line: at, scope: 'message', text: withoutExpressions(string) });
  }
  return texts;
}

/** Lists the comments of a style sheet. */
export function textsOfStyles(source: string): Text[] {
  const lineOf = lineCounter(source);
  return Array.from(source.matchAll(/\/\*[\s\S]*?\*\//g), ({ 0: comment, index }) => ({
    line: lineOf(index),
    scope: 'comment',
    text: withoutQuotations(withoutMarks(comment)),
  }));
}

/** Lists the comments of a file in which they begin with a number sign, or with two dashes in SQL. */
export function textsOfScript(source: string): Text[] {
  const lineOf = lineCounter(source);
  const comments = /^[ \t]*(?:#(?!!)|--)[^\n]*(?:\n[ \t]*(?:#|--)[^\n]*)*/gm;
  return Array.from(source.matchAll(comments), ({ 0: comment, index }) => ({
    line: lineOf(index),
    scope: 'comment',
    text: withoutQuotations(comment.replace(/^[ \t]*(?:#|--) ?/gm, '')),
  }));
}

/** Lists the text of a page in Markdown, without its code. */
export function textsOfPage(source: string): Text[] {
  const prose = source.replace(/^( *)(```+)[\s\S]*?^\1\2[^\n]*$/gm, blank).replace(/\]\([^)]*\)/g, blank);
  return [{ line: 1, scope: 'page', text: withoutQuotations(prose) }];
}

/** Lists the text of a help page in HTML, without its code. */
export function textsOfHelp(source: string): Text[] {
  const text = source.replace(/<(style|script|code|pre|kbd)\b[\s\S]*?<\/\1>|<[^>]*>/g, blank);
  return [{ line: 1, scope: 'page', text: withoutQuotations(text) }];
}

/** Lists the texts of a catalogue of the client. */
export function textsOfCatalogue(source: string): Text[] {
  const lineOf = lineCounter(source);
  return Array.from(source.matchAll(/: "((?:[^"\\]|\\.)*)"/g), ({ 1: text = '', index }) => ({
    line: lineOf(index),
    scope: 'message',
    text: text.replace(/\{\{[^}]*\}\}/g, blank),
  }));
}

function withoutMarks(comment: string): string {
  return comment
    .replace(/^\/\*\*? ?|\s*\*\/$/g, '')
    .replace(/^[ \t]*(?:\/\/|\*(?!\/)) ?/gm, '')
    .replace(/@param \w+/g, blank)
    .replace(/^\n/, '');
}

const isSql = (string: string): boolean => /\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|WITH|PRAGMA) \S/.test(string);
/** Whether a string is text for people: several words in lower case. */
const isSentence = (string: string): boolean => /[a-z]{2,} [a-z]{2,} /.test(string);

function withoutExpressions(string: string): string {
  return string
    .slice(1, -1)
    .replace(/\$\{[^}]*\}/g, blank)
    .replace(/“[^”]*”/g, blank);
}

function lineCounter(source: string): (index: number) => number {
  let [line, at] = [1, 0];
  return (index) => {
    for (let next = source.indexOf('\n', at); next !== -1 && next < index; next = source.indexOf('\n', at)) {
      line += 1;
      at = next + 1;
    }
    return line;
  };
}
