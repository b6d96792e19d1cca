import { Command, Option } from 'commander';
import { type CommandLine, ConfigError, describeConfig, loadConfig } from '../config/load-config.js';
import { environmentName, flagName, type SettingName, settingNames, settings } from '../config/settings.js';
import { productVersion } from '../kernel/product.js';
import { rebuildIndex } from './rebuild-index.js';
import { serve } from './serve.js';

/** Does what the arguments ask for. The service that it starts goes on running. */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  const program = new Command('logbook')
    .description('An online logbook for large scientific facilities.')
    .version(productVersion)
    .showHelpAfterError('(--help lists everything)');
  withSettings(
    program.command('serve', { isDefault: true }).description('Run the service (what happens without a command).'),
  ).action(async (_options, command: Command) => serve(load(command)));
  withSettings(
    program
      .command('config')
      .description('Print the configuration as it would be used, with where each value comes from.'),
  ).action((_options, command: Command) => {
    for (const line of describeConfig(load(command))) console.log(line);
  });
  withSettings(
    program
      .command('rebuild-index')
      .description('Make the search index anew from the entries. The service must not be running.'),
  ).action(async (_options, command: Command) => rebuildIndex(load(command)));
  await program.parseAsync(args, { from: 'user' });
}

function withSettings(command: Command): Command {
  command
    .addOption(new Option('--config <FILE>', 'Configuration file, name = value on each line. [LOGBOOK_CONFIG]'))
    .addOption(
      new Option('-D <name=value>', 'Any of the settings below by its name, such as -DrootPath=/Olog.')
        .argParser((pair: string, before: string[]) => [...before, pair])
        .default([], ''),
    );
  for (const name of settingNames) {
    const { placeholder, description, defaultText } = settings[name];
    const defaultNote = defaultText === '' ? '' : ` Default: ${defaultText}.`;
    command.addOption(
      new Option(`${flagName(name)} <${placeholder}>`, `${description}${defaultNote} [${environmentName(name)}]`),
    );
  }
  return command;
}

function load(command: Command) {
  const options = command.opts() as Record<string, unknown>;
  const flags: Partial<Record<SettingName, string>> = {};
  for (const name of settingNames) if (typeof options[name] === 'string') flags[name] = options[name];
  const properties: Record<string, string> = {};
  for (const pair of options.D as string[]) {
    const equals = pair.indexOf('=');
    if (equals < 0) throw new ConfigError([`-D${pair}: write -Dname=value`]);
    properties[pair.slice(0, equals)] = pair.slice(equals + 1);
  }
  const commandLine: CommandLine = { flags, properties, configFile: options.config as string | undefined };
  return loadConfig(commandLine, process.env);
}
