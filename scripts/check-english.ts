import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { productDir } from '../src/kernel/product.js';
import { findProblems, findSqlNames } from './english/problems.js';
import { checkSubject } from './english/rules.js';
import {
  type Text,
  textsOfCatalogue,
  textsOfHelp,
  textsOfPage,
  textsOfProgram,
  textsOfScript,
  textsOfStyles,
} from './english/texts.js';

/** Prints comments, messages, pages and subjects of commits that are not plain English, each with what to write instead. */

/** Commit before the first one whose subject is checked. */
const checkedSince = '9c9261cd28a2';
const leftOut =
  /^(?:test\/(?:fixtures\/schemas|architecture\/planted|packages\/earlier)|web\/src\/api\/schema\.ts|package-lock\.json)|\.(?:png|ico|svg|woff2|json|gz|zip)$(?<!i18n\/en\/\w+(?:-\w+)*\.json)/;
const scripts = /\.(?:sh|sql|ya?ml|py|properties|conf|service|spec)$|\/Dockerfile$/;

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: productDir, encoding: 'utf8', maxBuffer: 1e8, stdio: 'pipe' });

function textsOf(file: string, source: string): Text[] {
  if (/\.(?:tsx?|m?js|cjs)$/.test(file))
    return textsOfProgram(source, /^(?:src|packages)\/.*(?<!\.test)\.ts$/.test(file));
  if (file.endsWith('.css')) return textsOfStyles(source);
  if (scripts.test(file) || source.startsWith('#!')) return textsOfScript(source);
  if (file.endsWith('.md')) return textsOfPage(source);
  if (/^assets\/help\/.*_en\.html$/.test(file)) return textsOfHelp(source);
  if (/^web\/src\/i18n\/en\/.*\.json$/.test(file)) return textsOfCatalogue(source);
  return [];
}

let count = 0;
const report = (place: string, words: string, instead: string) => {
  count += 1;
  console.log(`${place}: “${words}”: ${instead}`);
};

function checkFile(file: string): void {
  const source = readFileSync(join(productDir, file), 'utf8');
  const names = /^src\/.*(?<!\.test)\.ts$|\.sql$/.test(file) ? findSqlNames(source) : [];
  for (const { line, words, instead } of [...textsOf(file, source).flatMap(findProblems), ...names])
    report(`${file}:${line}`, words, instead);
}

/** Checks the commits since `checkedSince`; a shallow clone may lack it. */
function checkCommits(): void {
  try {
    git('merge-base', '--is-ancestor', checkedSince, 'HEAD');
  } catch {
    console.log(`The subjects of commits were not checked: the history lacks ${checkedSince}.`);
    return;
  }
  for (const line of git('log', '--no-merges', '--format=%h %s', `${checkedSince}..HEAD`).split('\n')) {
    const [, commit = '', subject = ''] = /^(\w+) (.*)$/.exec(line) ?? [];
    if (commit !== '') for (const problem of checkSubject(subject)) report(`commit ${commit}`, subject, problem);
  }
}

const files = git('ls-files', '--cached', '--others', '--exclude-standard').split('\n');
for (const file of new Set(files)) {
  if (file !== '' && !leftOut.test(file) && existsSync(join(productDir, file))) checkFile(file);
}
checkCommits();
if (count > 0) {
  console.log(`${count} places are not plain English; scripts/english/rules.ts has the words.`);
  process.exitCode = 1;
}
