import { basename, relative } from 'node:path';

/**
 * Returns the command line that runs a command of this program on a data directory, as an operator can type it in the
 * directory of this process.
 * @param command its name and flags, such as `adopt --new-logbook`; empty: the service itself
 */
export function commandFor(command: string, dataDir: string): string {
  return [programName(), command, '--data-dir', quotedForShell(dataDir)].filter((part) => part !== '').join(' ');
}

/** How this process was started: with node in a checkout, or as an installed program. */
function programName(): string {
  const file = process.argv[1] ?? '';
  if (basename(file) !== 'main.js') return 'logbook';
  const fromHere = relative(process.cwd(), file);
  return `node ${quotedForShell(fromHere.startsWith('..') ? file : fromHere)}`;
}

function quotedForShell(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
