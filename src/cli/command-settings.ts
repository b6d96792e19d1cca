import { type Command, Option } from 'commander';
import { type LoadedConfig, loadConfig } from '../config/load-config.js';
import { environmentName, findSetting, flagName, settingNames } from '../config/settings.js';
import { asSetting } from './setting-option.js';
import { runsAsTrial } from './trial.js';
import { UsageError } from './usage-error.js';

export function addSettings(command: Command): Command {
  command
    .addOption(asSetting(new Option('--config <FILE>', 'Configuration file with lines name = value. [LOGBOOK_CONFIG]')))
    .addOption(
      asSetting(new Option('-D <name=value>', 'Any setting by its name, such as -DrootPath=/Olog.'))
        .argParser((pair: string, before: string[]) => [...before, pair])
        .default([], ''),
    );
  for (const name of settingNames) {
    const { placeholder, description, defaultText, formerNames = [] } = findSetting(name);
    const defaultNote = defaultText === '' ? '' : ` Default: ${defaultText}.`;
    command.addOption(
      asSetting(
        new Option(`${flagName(name)} <${placeholder}>`, `${description}${defaultNote} [${environmentName(name)}]`),
      ),
    );
    for (const former of formerNames) {
      command.addOption(new Option(`${flagName(former)} <${placeholder}>`).hideHelp());
    }
  }
  return command;
}

const flagNames = new Set(settingNames.flatMap((name) => [name, ...(findSetting(name).formerNames ?? [])]).map(String));

/**
 * Loads the configuration with the options of a command, with the settings of `more` and without those of `except`.
 * @param isTrial whether the evaluation users may sign in although no setting names them
 * @throws ConfigError
 */
export function load(
  command: Command,
  more: Readonly<Record<string, string>> = {},
  isTrial = runsAsTrial(),
  except: readonly string[] = [],
): LoadedConfig {
  const { D: pairs, config, ...others } = command.opts<Record<string, unknown>>();
  const properties: Record<string, string> = {};
  for (const pair of pairs as string[]) {
    const equals = pair.indexOf('=');
    if (equals < 0) throw new UsageError(`-D${pair}: write -Dname=value, such as -DrootPath=/Olog.`);
    properties[pair.slice(0, equals)] = pair.slice(equals + 1);
  }
  // The command may have additional options that are not settings.
  const settings = Object.entries(others).filter(([name]) => flagNames.has(name) && !except.includes(name));
  const flags = { ...(Object.fromEntries(settings) as Record<string, string>), ...more };
  return loadConfig({ flags, properties, configFile: config as string | undefined, isTrial }, process.env);
}
