import { commentOpenings, headingOpenings, phrases, sqlWords, storedSqlNames } from './rules.js';
import type { Text } from './texts.js';

export interface Problem {
  readonly line: number;
  readonly words: string;
  readonly instead: string;
}

const patterns = phrases.map((rule) => ({
  ...rule,
  find: new RegExp(rule.find.source.replaceAll(' ', '\\s+'), 'gi'),
}));

/** Lists the phrases and openings to avoid in a text. */
export function findProblems({ line, scope, text }: Text): Problem[] {
  const problems: Problem[] = [];
  const add = (index: number, words: string, instead: string) =>
    problems.push({
      line: line + text.slice(0, index).split('\n').length - 1,
      words: words.replace(/\s+/g, ' '),
      instead,
    });
  const openings =
    scope === 'comment' ? text.matchAll(/^([A-Z]\w*)/g) : scope === 'page' ? text.matchAll(/(?<=^#+ )(\w+)/gm) : [];
  for (const { 0: word, index } of openings) {
    const instead = (scope === 'comment' ? commentOpenings : headingOpenings).get(word);
    if (instead !== undefined) add(index, `${word} …`, instead);
  }
  for (const { find, instead, scopes } of patterns) {
    if (scopes && !scopes.includes(scope)) continue;
    for (const { 0: words, index } of text.matchAll(find)) add(index, words, instead);
  }
  return problems.toSorted((one, other) => one.line - other.line);
}

const sqlNames =
  /\b(?:CREATE (?:UNIQUE )?(?:TABLE|INDEX)(?: IF NOT EXISTS)?|RENAME (?:COLUMN \w+ )?TO|ADD COLUMN(?: IF NOT EXISTS)?) (\w+)/g;

/** Whether databases of earlier versions have the name, or a constraint of the table of this name. */
const isStored = (name: string): boolean =>
  storedSqlNames.has(name) || [...storedSqlNames].some((one) => name.startsWith(`${one}_`) && /_p?key$/.test(name));

/** Lists the names in the SQL of a source that violate the glossary. */
export function findSqlNames(source: string): Problem[] {
  return Array.from(source.matchAll(sqlNames)).flatMap(({ 1: name = '', index }) => {
    const word = isStored(name) ? undefined : name.split('_').find((one) => sqlWords.has(one));
    if (word === undefined) return [];
    return {
      line: source.slice(0, index).split('\n').length,
      words: name,
      instead: `${sqlWords.get(word)} for ${word}`,
    };
  });
}
