import { type Argument, type Command, Help } from 'commander';
import { commands } from './commands.js';
import { isSetting } from './setting-option.js';

/** Adds one screen of help to the program and to each command. With `showsAll`, the help also lists the settings. */
export function addHelp(program: Command, showsAll: boolean): void {
  program.addHelpText('after', `\n${programFooter}`);
  configure(program, showsAll);
  for (const command of program.commands) {
    configure(command, showsAll);
    const { summary = '', examples = [] } = commands[command.name()] ?? {};
    command.summary(summary);
    const hasSettings = command.options.some(isSetting);
    const lines = [
      ...(examples.length === 0 ? [] : ['Examples:', ...examples.map((example) => `  ${example}`)]),
      ...(hasSettings && !showsAll ? ['', settingsFooter] : []),
    ];
    command.addHelpText('after', `\n${lines.join('\n')}`);
  }
}

const settingsFooter = 'All settings of the service are options too: --help --all lists them.';

const programFooter = `“logbook COMMAND --help” shows the options of a command.
Exit codes: 0 done; 1 failed, or problems were found; 64 wrong command line;
78 wrong configuration; others: see the help of the command.`;

const humanReadable = (argument: Argument): string =>
  argument.required ? `<${argument.name()}>` : `[${argument.name()}]`;

function configure(command: Command, showsAll: boolean): void {
  command.configureHelp({
    subcommandTerm: (sub) => [sub.name(), ...sub.registeredArguments.map(humanReadable)].join(' '),
    formatHelp(shown, helper) {
      const visibleOptions = (of: Command) =>
        helper.visibleOptions(of).filter((option) => showsAll || !isSetting(option) || option.long === '--config');
      return Help.prototype.formatHelp.call(helper, shown, Object.assign(Object.create(helper), { visibleOptions }));
    },
  });
}
