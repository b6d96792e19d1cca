import { basename, relative } from 'node:path';

/** Environment variable that names the configuration file if no flag does. */
export const configFileVariable = 'LOGBOOK_CONFIG';

/** Environment variable in which the packaged command passes the configuration file of the installed service. */
export const defaultConfigFileVariable = 'LOGBOOK_DEFAULT_CONFIG';

/** Whether the packaged command started this process. */
export const isInstalled = (): boolean => (process.env[defaultConfigFileVariable] ?? '') !== '';

/**
 * Returns the command line that runs a command of this program on a data directory, for an operator in the working
 * directory of this process. It names the configuration file of this process, so that the settings are the same.
 * @param command command and its flags, such as `adopt --new-logbook`; empty: the service itself
 */
export function commandFor(command: string, dataDir: string): string {
  const config = configFile();
  const flags = [...(config === undefined ? [] : ['--config', config]), '--data-dir', dataDir];
  return [programName(), command, ...flags.map(quotedForShell)].filter((part) => part !== '').join(' ');
}

/** Returns the configuration file passed to this process. If several were passed, the last one counts. */
function configFile(): string | undefined {
  const args = process.argv.slice(2);
  const at = args.findLastIndex((arg) => arg === '--config' || arg.startsWith('--config='));
  const given = args[at] === '--config' ? args[at + 1] : args[at]?.slice('--config='.length);
  return given ?? process.env[configFileVariable];
}

/** Returns the command that started this process: node with a file of the checkout, or the installed program. */
function programName(): string {
  const file = process.argv[1] ?? '';
  if (basename(file) !== 'main.js' || isInstalled()) return 'logbook';
  const fromHere = relative(process.cwd(), file);
  return `node ${quotedForShell(fromHere.startsWith('..') ? file : fromHere)}`;
}

function quotedForShell(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
