import { basename, relative } from 'node:path';

/** The environment variable that names the configuration file, if no flag does. */
export const configFileVariable = 'LOGBOOK_CONFIG';

/** The environment variable by which the packaged command names the configuration file of the installed service. */
export const defaultConfigFileVariable = 'LOGBOOK_DEFAULT_CONFIG';

/** Whether this process was started by the packaged command. */
export const isInstalled = (): boolean => (process.env[defaultConfigFileVariable] ?? '') !== '';

/**
 * Returns the command line that runs a command of this program on a data directory, as an operator can type it in the
 * working directory of this process. It names the configuration file of this process, so that the settings are the same.
 * @param command its name and flags, such as `adopt --new-logbook`; empty: the service itself
 */
export function commandFor(command: string, dataDir: string): string {
  const config = configFile();
  const flags = [...(config === undefined ? [] : ['--config', config]), '--data-dir', dataDir];
  return [programName(), command, ...flags.map(quotedForShell)].filter((part) => part !== '').join(' ');
}

/** Returns the configuration file as it was given to this process. If it was given several times, the last one counts. */
function configFile(): string | undefined {
  const args = process.argv.slice(2);
  const at = args.findLastIndex((arg) => arg === '--config' || arg.startsWith('--config='));
  const given = args[at] === '--config' ? args[at + 1] : args[at]?.slice('--config='.length);
  return given ?? process.env[configFileVariable];
}

/** How this process was started: with node in a checkout, or as an installed program. */
function programName(): string {
  const file = process.argv[1] ?? '';
  if (basename(file) !== 'main.js' || isInstalled()) return 'logbook';
  const fromHere = relative(process.cwd(), file);
  return `node ${quotedForShell(fromHere.startsWith('..') ? file : fromHere)}`;
}

function quotedForShell(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
